import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { getCommit, openCode } from "#core/code/open";
import {
  combineCommitStatuses,
  createCommitStatus,
  listCommitStatuses,
  type StatusOrder,
  statusOrders,
} from "#core/commit-status/commit-status";
import {
  type StatusState,
  type CommitStatus as StoredStatus,
  statusStates,
} from "#core/commit-status/commit-status.table";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import type { ObjectId } from "#core/git/format/object-format";
import { repositoryDetailsOf } from "#core/repository/details";
import { findUsersById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import { z } from "#zod";
import { apiLinkTo } from "../../http/answer/links.ts";
import { type Listing, type Page, pagingHeaders } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { timestamp } from "../../http/timestamps.ts";
import { readsCode } from "../repository/needs.ts";
import { presentRepository } from "../repository/present.ts";
import { presentUser } from "../user/present.ts";
import { CombinedStatus, CommitStatus, type CommitStatusJson, CreateStatusOption } from "./schema.ts";

const listQuery = {
  sort: z.enum(statusOrders).optional(),
  state: z.enum(statusStates).optional(),
};

/** A request that speaks of the checks of one commit. */
interface StatusRequest {
  readonly forge: Forge;
  readonly actor: Actor | undefined;
  readonly access: RepositoryAccess;
  readonly page: Page;
  readonly query: {
    readonly sort?: StatusOrder | undefined;
    readonly state?: StatusState | undefined;
  };
}

/** The commit of a branch, a tag or an id: in this order (semantics §23). */
async function commitOf(
  { forge, access }: Pick<StatusRequest, "forge" | "access">,
  ref: string,
): Promise<ObjectId> {
  return (await getCommit(await openCode(forge, access.repository.id), ref)).id;
}

async function present(
  request: Pick<StatusRequest, "forge" | "actor" | "access">,
  rows: readonly StoredStatus[],
): Promise<CommitStatusJson[]> {
  const { owner, repository } = request.access;
  const { config } = request.forge;
  const creators = await findUsersById(request.forge, [...new Set(rows.map(({ creatorId }) => creatorId))]);
  return rows.map((row) => ({
    id: row.index,
    status: row.state,
    target_url: row.targetUrl,
    description: row.description,
    url: apiLinkTo(config, "repos", owner.name, repository.name, "statuses", row.commitId),
    context: row.context,
    creator: presentUser(viewOf(request), creators.get(row.creatorId) ?? ghostUser),
    created_at: timestamp(row.createdAt),
    updated_at: timestamp(row.createdAt),
  }));
}

/** A page of the reports on a commit. */
async function listed(request: StatusRequest, ref: string): Promise<Listing<CommitStatusJson>> {
  const { forge, access, query, page } = request;
  const { sort, state } = query;
  const wanted = defined({ order: sort, state });
  const sha = await commitOf(request, ref);
  const { items, total } = await listCommitStatuses(forge, access.repository.id, sha, wanted, page);
  return { items: await present(request, items), total };
}

/** The combined state of a commit's checks; their newest reports are paged like a list. */
async function combined(
  request: Omit<StatusRequest, "query"> & { readonly url: URL },
  ref: string,
): Promise<Reply<z.infer<typeof CombinedStatus>>> {
  const { forge, access, page, url } = request;
  const { owner, repository } = access;
  const sha = await commitOf(request, ref);
  const [{ state, statuses: rows, total }, details] = await Promise.all([
    combineCommitStatuses(forge, repository.id, sha, page),
    repositoryDetailsOf(forge, access),
  ]);
  const answer = {
    state: state ?? "",
    sha,
    total_count: total,
    statuses: await present(request, rows),
    repository: presentRepository(viewOf(request), details),
    commit_url: apiLinkTo(forge.config, "repos", owner.name, repository.name, "commits", sha),
    url: "",
  } as const;
  return new Reply(answer, { headers: headersOf({ items: rows, total }, page, url) });
}

const headersOf = (...[listing, page, url]: Parameters<typeof pagingHeaders>): Record<string, string> =>
  Object.fromEntries(pagingHeaders(listing, page, url));

const repoCreateStatus = endpoint({
  id: "repoCreateStatus",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/statuses/{sha}",
  summary: "Report the result of a check on a commit",
  needs: { scope: ["repository"], login: true, repository: { mode: "write", unit: "code" } },
  slashed: "sha",
  body: CreateStatusOption,
  status: 201,
  returns: { json: CommitStatus },
  errors: [400, 401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, actor, access, params, body } = request;
    const { state, target_url = "", description = "", context = "" } = body;
    const texts = { targetUrl: target_url.trim(), description: description.trim(), context: context.trim() };
    const sha = await commitOf(request, params.sha);
    const status = await createCommitStatus(forge, access.repository.id, sha, actor, { state, ...texts });
    const [json] = await present(request, [status]);
    return json as CommitStatusJson;
  },
});

const repoListStatuses = endpoint({
  id: "repoListStatuses",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/statuses/{sha}",
  summary: "List the reports of checks on a commit, newest first",
  needs: readsCode,
  slashed: "sha",
  query: listQuery,
  status: 200,
  returns: { list: CommitStatus },
  errors: [400, 403, 404, 422],
  handle: (request) => listed(request, request.params.sha),
});

const repoGetCombinedStatus = endpoint({
  id: "repoGetCombinedStatus",
  originalId: "repoGetCombinedStatusByRef",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/commits/{ref}/status",
  summary: "Get the combined state of the checks on a branch, tag or commit",
  needs: readsCode,
  slashed: "ref",
  status: 200,
  pagedBy: "page and limit",
  returns: { json: CombinedStatus },
  errors: [400, 403, 404],
  handle: (request) => combined(request, request.params.ref),
});

const repoGetCombinedStatusByRef = endpoint({
  id: "repoGetCombinedStatusByRef",
  originalId: "repoListStatusesByRef",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/commits/{ref}/statuses",
  summary:
    "Get the combined state of the checks on a branch, tag or commit; with a query, list their reports",
  description:
    "page, limit, sort and state each ask for the list; COMMIT_STATUSES_FORM=list always gives it.",
  needs: readsCode,
  slashed: "ref",
  query: listQuery,
  status: 200,
  pagedBy: "page and limit",
  returns: { json: z.union([z.array(CommitStatus), CombinedStatus]) },
  errors: [400, 403, 404, 422],
  handle: async (request) => {
    const { forge, params, query, page, url } = request;
    const isListAsked = page.isAsked || query.sort !== undefined || query.state !== undefined;
    if (forge.config.commitStatusesForm === "combined" && !isListAsked) return combined(request, params.ref);
    const listing = await listed(request, params.ref);
    return new Reply([...listing.items], { headers: headersOf(listing, page, url) });
  },
});

export const commitStatusEndpoints = [
  repoCreateStatus,
  repoListStatuses,
  repoGetCombinedStatus,
  repoGetCombinedStatusByRef,
];
