import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { createStar, isStarred, listStarsOfRepository, listStarsOfUser, removeStar } from "#core/star/star";
import { no } from "../../http/answer/reply.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listRelatedRepositories, listRelatedUsers } from "../repository/related.ts";
import { Repository } from "../repository/schema.ts";
import { User } from "../user/schema.ts";

function requireStars({ config }: Forge): void {
  if (config.disableStars) throw notFound("repositories can't be starred here");
}

const own = { scope: ["user", "repository"], login: true } as const;
const ofRepository = { ...own, repository: { mode: "read" } } as const;

const userCurrentListStarred = endpoint({
  id: "userCurrentListStarred",
  tag: "user",
  method: "get",
  path: "/user/starred",
  summary: "List the repositories that the caller starred, newest star first",
  needs: own,
  status: 200,
  returns: { list: Repository },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor } = request;
    requireStars(forge);
    const related = await listStarsOfUser(forge, actor.user.id);
    return listRelatedRepositories(request, related, actor.user.id);
  },
});

const userCurrentCheckStarring = endpoint({
  id: "userCurrentCheckStarring",
  tag: "user",
  method: "get",
  path: "/user/starred/{owner}/{repo}",
  summary: "Check whether the caller starred a repository",
  needs: ofRepository,
  isCheck: true,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, access }) => {
    requireStars(forge);
    return (await isStarred(forge, access.repository.id, actor.user.id)) ? undefined : no;
  },
});

const userCurrentPutStar = endpoint({
  id: "userCurrentPutStar",
  tag: "user",
  method: "put",
  path: "/user/starred/{owner}/{repo}",
  summary: "Star a repository",
  needs: ofRepository,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, access }) => {
    requireStars(forge);
    await createStar(forge, access.repository, actor.user.id);
    return undefined;
  },
});

const userCurrentDeleteStar = endpoint({
  id: "userCurrentDeleteStar",
  tag: "user",
  method: "delete",
  path: "/user/starred/{owner}/{repo}",
  summary: "Take the caller's star from a repository",
  needs: ofRepository,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, access }) => {
    requireStars(forge);
    await removeStar(forge, access.repository, actor.user.id);
    return undefined;
  },
});

const userListStarred = endpoint({
  id: "userListStarred",
  tag: "user",
  method: "get",
  path: "/users/{username}/starred",
  summary: "List the repositories that a user starred, newest star first; for others only public ones",
  needs: { scope: ["user"], login: true, user: "visible" },
  status: 200,
  returns: { list: Repository },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, user } = request;
    requireStars(forge);
    return listRelatedRepositories(request, await listStarsOfUser(forge, user.id), user.id);
  },
});

const repoListStargazers = endpoint({
  id: "repoListStargazers",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/stargazers",
  summary:
    "List the users who starred a repository, oldest star first, as far as the caller may know of them",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { list: User },
  errors: [404],
  handle: async (request) => {
    const { forge, access } = request;
    requireStars(forge);
    return listRelatedUsers(request, await listStarsOfRepository(forge, access.repository.id));
  },
});

export const starEndpoints = [
  userCurrentListStarred,
  userCurrentCheckStarring,
  userCurrentPutStar,
  userCurrentDeleteStar,
  userListStarred,
  repoListStargazers,
];
