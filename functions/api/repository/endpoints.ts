import { createRepository } from "#core/repository/create";
import { detailsOfEdited, detailsOfNew, repositoryDetailsOf } from "#core/repository/details";
import { editRepository } from "#core/repository/edit";
import { removeRepository } from "#core/repository/removal/remove";
import { renameWikiBranch } from "#core/wiki/store";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { changesFrom, newRepositoryFrom } from "./changes.ts";
import { presentRepository } from "./present.ts";
import { CreateRepoOption, EditRepoOption, Repository } from "./schema.ts";

const createCurrentUserRepo = endpoint({
  id: "createCurrentUserRepo",
  tag: "repository",
  method: "post",
  path: "/user/repos",
  summary: "Create a repository",
  needs: { scope: ["user", "repository"], login: true },
  body: CreateRepoOption,
  status: 201,
  returns: { json: Repository },
  errors: [400, 401, 403, 409, 422],
  handle: async (request) => {
    const { forge, actor, body } = request;
    const created = await createRepository(forge, actor, actor.user, newRepositoryFrom(body));
    return presentRepository(viewOf(request), await detailsOfNew(forge, actor, created, actor.user));
  },
});

const adminCreateRepo = endpoint({
  id: "adminCreateRepo",
  tag: "admin",
  method: "post",
  path: "/admin/users/{username}/repos",
  summary: "Create a repository that belongs to a user or an organization",
  needs: { scope: ["admin"], siteAdmin: true, user: "owner" },
  body: CreateRepoOption,
  status: 201,
  returns: { json: Repository },
  errors: [400, 401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, actor, user, body } = request;
    const created = await createRepository(forge, actor, user, newRepositoryFrom(body));
    return presentRepository(viewOf(request), await detailsOfNew(forge, actor, created, user));
  },
});

const repoGet = endpoint({
  id: "repoGet",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}",
  summary: "Get a repository",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { json: Repository },
  errors: [404],
  handle: async (request) =>
    presentRepository(
      viewOf(request),
      await repositoryDetailsOf(request.forge, request.access, request.actor),
    ),
});

const repoGetByID = endpoint({
  id: "repoGetByID",
  tag: "repository",
  method: "get",
  path: "/repositories/{id}",
  summary: "Get a repository by id",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { json: Repository },
  errors: [401, 404],
  handle: async (request) =>
    presentRepository(
      viewOf(request),
      await repositoryDetailsOf(request.forge, request.access, request.actor),
    ),
});

const repoEdit = endpoint({
  id: "repoEdit",
  tag: "repository",
  method: "patch",
  path: "/repos/{owner}/{repo}",
  summary: "Edit a repository; absent fields stay as they are",
  description: "Units that the installation has switched off for all repositories (has_wiki …) stay off.",
  needs: { scope: ["repository"], login: true, repository: { mode: "admin" } },
  body: EditRepoOption,
  status: 200,
  returns: { json: Repository },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, body } = request;
    const edited = await editRepository(forge, actor, access.repository, changesFrom(body));
    const repository = body.wiki_branch
      ? await renameWikiBranch(forge, edited, actor, body.wiki_branch)
      : edited;
    const details = await detailsOfEdited(forge, actor, access, repository);
    return presentRepository(viewOf(request), details);
  },
});

const repoDelete = endpoint({
  id: "repoDelete",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}",
  summary: "Delete a repository",
  needs: { scope: ["repository"], login: true, repository: { mode: "owner" } },
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, access }) => {
    await removeRepository(forge, actor, access.repository);
    return undefined;
  },
});

export const repositoryEndpoints = [
  createCurrentUserRepo,
  adminCreateRepo,
  repoGet,
  repoGetByID,
  repoEdit,
  repoDelete,
];
