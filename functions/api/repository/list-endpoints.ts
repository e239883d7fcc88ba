import { defined } from "#core/defined";
import { unprocessable } from "#core/errors";
import { listOwnRepositories, listRepositoriesOfOwner } from "#core/repository/listing/list";
import { type RepositorySearch, searchRepositories } from "#core/repository/listing/search";
import { z } from "#zod";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, integer, text } from "../../http/query.ts";
import { listOrderNames, listOrders, searchSort } from "./orders.ts";
import { presentListing } from "./present.ts";
import { Repository, SearchResults } from "./schema.ts";

const userCurrentListRepos = endpoint({
  id: "userCurrentListRepos",
  tag: "user",
  method: "get",
  path: "/user/repos",
  summary: "List the caller's repositories",
  needs: { scope: ["user", "repository"], login: true },
  query: { order_by: z.enum(listOrderNames).optional() },
  status: 200,
  returns: { list: Repository },
  errors: [401, 403, 422],
  handle: async (request) => {
    const { forge, actor, query, page } = request;
    const order = listOrders[query.order_by ?? "alphabetically"];
    return presentListing(viewOf(request), await listOwnRepositories(forge, actor, order, page));
  },
});

const userListRepos = endpoint({
  id: "userListRepos",
  tag: "user",
  method: "get",
  path: "/users/{username}/repos",
  summary: "List the repositories of a user or an organization that the caller may see",
  needs: { scope: ["user", "repository"], user: "known", explore: true },
  status: 200,
  returns: { list: Repository },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, actor, user, page } = request;
    return presentListing(viewOf(request), await listRepositoriesOfOwner(forge, actor, user, page));
  },
});

const searchModes = ["source", "fork", "mirror", "collaborative"] as const;
type SearchMode = (typeof searchModes)[number];

const searchQuery = {
  q: text.openapi({
    description: "a part of the name, or owner/ and a part of it; commas between alternatives",
  }),
  topic: flag.openapi({ description: "look for a topic of this name instead" }),
  includeDesc: flag.openapi({ description: "look at descriptions and parts of topics, too" }),
  uid: integer.openapi({ description: "only repositories that this user owns or was given rights on" }),
  priority_owner_id: integer.openapi({ description: "this owner's repositories come first" }),
  starredBy: integer.openapi({ description: "only repositories that this user starred" }),
  team_id: integer.openapi({
    description: "only this team's repositories, for its members and site administrators",
  }),
  exclusive: flag.openapi({ description: "with uid: only repositories that the user owns" }),
  mode: text.openapi({ description: searchModes.join(", ") }),
  private: flag.openapi({ description: "false: no private ones" }),
  is_private: flag.openapi({ description: "only private ones, or only public ones" }),
  template: flag,
  archived: flag,
  sort: text.openapi({ description: "alpha, created, updated, size, git_size, lfs_size, id, stars, forks" }),
  order: text.openapi({ description: "asc (default) or desc" }),
};

/** A search in core's terms. 422 for words that the family does not know. */
function searchFrom(query: z.infer<z.ZodObject<typeof searchQuery>>): RepositorySearch {
  const { mode } = query;
  if (mode !== undefined && !searchModes.includes(mode as SearchMode)) {
    throw unprocessable(`Invalid search mode: "${mode}"`);
  }
  const isPrivate = query.private === false ? false : query.is_private;
  return {
    sort: searchSort(query.sort, query.order),
    isTopic: query.topic ?? false,
    includesDescriptions: query.includeDesc ?? false,
    ...defined({ keyword: query.q }),
    ...(query.uid ? { userId: query.uid, isExclusive: query.exclusive ?? false } : {}),
    ...defined({
      teamId: query.team_id || undefined,
      starredBy: query.starredBy || undefined,
      ownerFirst: query.priority_owner_id || undefined,
    }),
    ...(mode === undefined ? {} : { mode: mode as SearchMode }),
    ...defined({ isPrivate, isTemplate: query.template, isArchived: query.archived }),
  };
}

const repoSearch = endpoint({
  id: "repoSearch",
  tag: "repository",
  method: "get",
  path: "/repos/search",
  summary: "Search for repositories",
  cost: "heavy",
  needs: { scope: ["repository"] },
  query: searchQuery,
  status: 200,
  returns: { search: SearchResults },
  errors: [422],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const asked = searchFrom(request.query);
    return presentListing(viewOf(request), await searchRepositories(forge, actor, asked, page));
  },
});

export const repositoryListEndpoints = [userCurrentListRepos, userListRepos, repoSearch];
