import { findKnownUsers } from "#core/access/listed-repositories";
import { isRepositoryAdmin } from "#core/access/modes";
import {
  addCollaborator,
  findCollaborator,
  getCollaboratingUser,
  listCollaborators,
  removeCollaborator,
} from "#core/collaborator/collaborator";
import { repositoryPermissionOf } from "#core/repository/permission";
import { no } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentUsers } from "../user/lists.ts";
import { presentUser } from "../user/present.ts";
import { User } from "../user/schema.ts";
import { AddCollaboratorOption, RepoCollaboratorPermission } from "./schema.ts";

const repoListCollaborators = endpoint({
  id: "repoListCollaborators",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/collaborators",
  summary: "List a repository's collaborators",
  needs: { scope: ["repository"], login: true, repository: { mode: "read" } },
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, access, page } = request;
    const rows = await listCollaborators(forge, access.repository);
    const all = rows.map(({ userId }) => userId);
    const ids = isRepositoryAdmin(access.rights) ? all : await findKnownUsers(forge, actor, all);
    const limit = page.isAsked ? page.limit : Math.max(1, ids.length); // all rows when no page is asked (D-PAGING)
    return presentUsers(forge, viewOf(request), ids, { ...page, limit });
  },
});

const repoCheckCollaborator = endpoint({
  id: "repoCheckCollaborator",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/collaborators/{collaborator}",
  summary: "Check whether a user was given rights on a repository by name",
  needs: { scope: ["repository"], login: true, repository: { mode: "read" } },
  isCheck: true,
  status: 204,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, actor, access, params }) => {
    const user = await getCollaboratingUser(forge, actor, params.collaborator);
    const found = await findCollaborator(forge, access.repository, user.id);
    return found === undefined ? no : undefined;
  },
});

const repoAddCollaborator = endpoint({
  id: "repoAddCollaborator",
  tag: "repository",
  method: "put",
  path: "/repos/{owner}/{repo}/collaborators/{collaborator}",
  summary: "Give a user rights on a repository, or change their rights",
  needs: { scope: ["repository"], login: true, repository: { mode: "admin" } },
  body: AddCollaboratorOption,
  status: 204,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, actor, access, params, body }) => {
    await addCollaborator(forge, actor, access.repository, params.collaborator, body.permission);
    return undefined;
  },
});

const repoDeleteCollaborator = endpoint({
  id: "repoDeleteCollaborator",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/collaborators/{collaborator}",
  summary: "Take a user's rights on a repository away",
  needs: { scope: ["repository"], login: true, repository: { mode: "admin" } },
  status: 204,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, actor, access, params }) => {
    await removeCollaborator(forge, actor, access, params.collaborator);
    return undefined;
  },
});

const repoGetRepoPermissions = endpoint({
  id: "repoGetRepoPermissions",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/collaborators/{collaborator}/permission",
  summary: "Say how much a user may do on a repository: for the user and administrators",
  needs: { scope: ["repository"], login: true, repository: { mode: "read" } },
  status: 200,
  returns: { json: RepoCollaboratorPermission },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, access, params } = request;
    const { user, mode } = await repositoryPermissionOf(forge, actor, access, params.collaborator);
    return { permission: mode, role_name: mode, user: presentUser(viewOf(request), user) };
  },
});

export const collaboratorEndpoints = [
  repoListCollaborators,
  repoCheckCollaborator,
  repoAddCollaborator,
  repoDeleteCollaborator,
  repoGetRepoPermissions,
];
