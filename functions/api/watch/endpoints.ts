import type { RepositoryAccess } from "#core/access/repository-access";
import {
  createWatch,
  isWatched,
  listWatchesOfRepository,
  listWatchesOfUser,
  removeWatch,
} from "#core/watch/watch";
import { apiLinkTo } from "../../http/answer/links.ts";
import { no } from "../../http/answer/reply.ts";
import { type View, viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { timestamp } from "../../http/timestamps.ts";
import { listRelatedRepositories, listRelatedUsers } from "../repository/related.ts";
import { Repository } from "../repository/schema.ts";
import { User } from "../user/schema.ts";
import { WatchInfo } from "./schema.ts";

const own = { scope: ["repository"], login: true, repository: { mode: "read" } } as const;

/** A watch in the family's form: with the date of the repository. */
function presentWatch({ config }: View, { owner, repository }: RepositoryAccess) {
  const link = (...more: string[]) => apiLinkTo(config, "repos", owner.name, repository.name, ...more);
  return {
    ...{ subscribed: true, ignored: false, reason: null },
    created_at: timestamp(repository.createdAt),
    url: link("subscription"),
    repository_url: link(),
  };
}

const userCurrentCheckSubscription = endpoint({
  id: "userCurrentCheckSubscription",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/subscription",
  summary: "Check whether the caller watches a repository",
  needs: own,
  isCheck: true,
  status: 200,
  returns: { json: WatchInfo },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, access } = request;
    const isWatching = await isWatched(forge, access.repository.id, actor.user.id);
    return isWatching ? presentWatch(viewOf(request), access) : no;
  },
});

const userCurrentPutSubscription = endpoint({
  id: "userCurrentPutSubscription",
  tag: "repository",
  method: "put",
  path: "/repos/{owner}/{repo}/subscription",
  summary: "Watch a repository",
  needs: own,
  status: 200,
  returns: { json: WatchInfo },
  errors: [401, 403, 404, 409],
  handle: async (request) => {
    const { forge, actor, access } = request;
    await createWatch(forge, access.repository, actor.user.id);
    return presentWatch(viewOf(request), access);
  },
});

const userCurrentDeleteSubscription = endpoint({
  id: "userCurrentDeleteSubscription",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/subscription",
  summary: "Watch a repository no more",
  needs: own,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, access }) => {
    await removeWatch(forge, access.repository, actor.user.id);
    return undefined;
  },
});

const repoListSubscribers = endpoint({
  id: "repoListSubscribers",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/subscribers",
  summary: "List the users who watch a repository, as far as the caller may know of them",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { list: User },
  errors: [404],
  handle: async (request) => {
    const { forge, access } = request;
    return listRelatedUsers(request, await listWatchesOfRepository(forge, access.repository.id));
  },
});

const userCurrentListSubscriptions = endpoint({
  id: "userCurrentListSubscriptions",
  tag: "user",
  method: "get",
  path: "/user/subscriptions",
  summary: "List the repositories that the caller watches",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { list: Repository },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor } = request;
    const related = await listWatchesOfUser(forge, actor.user.id);
    return listRelatedRepositories(request, related, actor.user.id);
  },
});

const userListSubscriptions = endpoint({
  id: "userListSubscriptions",
  tag: "user",
  method: "get",
  path: "/users/{username}/subscriptions",
  summary: "List the repositories that a user watches; for others only public ones",
  needs: { scope: ["user"], login: true, user: "visible" },
  status: 200,
  returns: { list: Repository },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, user } = request;
    return listRelatedRepositories(request, await listWatchesOfUser(forge, user.id), user.id);
  },
});

export const watchEndpoints = [
  userCurrentCheckSubscription,
  userCurrentPutSubscription,
  userCurrentDeleteSubscription,
  repoListSubscribers,
  userCurrentListSubscriptions,
  userListSubscriptions,
];
