import { findKnownUsers } from "#core/access/listed-repositories";
import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { listRepositoriesOfIds } from "#core/repository/listing/list";
import { createStar, isStarred, listStarsOfRepository, listStarsOfUser, removeStar } from "#core/star/star";
import { no } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentListing } from "../repository/present.ts";
import { Repository } from "../repository/schema.ts";
import { presentUsers } from "../user/lists.ts";
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
    const { forge, actor, page } = request;
    requireStars(forge);
    const { ids, isWhole } = await listStarsOfUser(forge, actor.user.id);
    const found = await listRepositoriesOfIds(forge, actor, ids, page);
    return { ...presentListing(viewOf(request), found), isExact: isWhole };
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
    const { forge, actor, user, page } = request;
    requireStars(forge);
    const { ids, isWhole } = await listStarsOfUser(forge, user.id);
    const isPublicOnly = user.id !== actor.user.id;
    const found = await listRepositoriesOfIds(forge, actor, ids, page, { isPublicOnly });
    return { ...presentListing(viewOf(request), found), isExact: isWhole };
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
    const { forge, actor, access, page } = request;
    requireStars(forge);
    const { ids, isWhole } = await listStarsOfRepository(forge, access.repository.id);
    const known = await findKnownUsers(forge, actor, ids);
    return { ...(await presentUsers(forge, viewOf(request), known, page)), isExact: isWhole };
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
