import { z } from "@hono/zod-openapi";
import { isShut } from "#core/access/public-only";
import { findAccess, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import * as dependencies from "#core/dependency/dependency";
import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import * as issues from "#core/issue/issue";
import { endpoint } from "../endpoint.ts";
import { eitherUnit } from "../issue/endpoints.ts";
import { presentIssue, presentPlaced } from "../issue/present.ts";
import { Issue, type IssueJson } from "../issue/schema.ts";
import { pageOf } from "../paging.ts";
import { viewOf } from "../view.ts";
import { presentDependencies } from "./present.ts";

const IssueMeta = z
  .object({
    index: z.int(),
    owner: z.string().optional().openapi({ description: "of the repository; absent: as in the path" }),
    repo: z.string().optional().openapi({ description: "absent: as in the path" }),
  })
  .openapi("IssueMeta");

const reading = {
  tag: "issue",
  method: "get",
  needs: { scope: ["issue"], repository: { mode: "read", unit: eitherUnit } },
  status: 200,
  returns: { list: Issue },
  errors: [404],
} as const;
const writing = {
  tag: "issue",
  needs: { scope: ["issue"], login: true, repository: { mode: "read", unit: eitherUnit } },
  body: IssueMeta,
  status: 201, // as the family answers, also where one is removed
  returns: { json: Issue },
  errors: [400, 401, 403, 404, 409, 422],
} as const;

interface WriteRequest {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly actor: Actor;
  readonly params: { readonly index: number };
  readonly body: z.infer<typeof IssueMeta>;
}

/** The issue of the path. */
const pathIssue = ({ access, params }: Pick<WriteRequest, "access" | "params">): dependencies.IssueIn => ({
  access,
  number: params.index,
});

/** The issue that the body names. NotFound when the caller may not see its repository. */
async function bodyIssue({ forge, access, actor, body }: WriteRequest): Promise<dependencies.IssueIn> {
  const { owner = access.owner.name, repo = access.repository.name, index: number } = body;
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  if (isSame(owner, access.owner.name) && isSame(repo, access.repository.name)) return { access, number };
  const other = await findAccess(forge, actor, owner, repo);
  if (other === undefined || isShut(actor, other))
    throw notFound(`repository does not exist [${owner}/${repo}]`);
  return { access: other, number };
}

/** Changes a dependency between the two, and answers the issue of the path. */
async function changeBetween(
  request: WriteRequest,
  change: typeof dependencies.create,
  waits: "path" | "body",
): Promise<IssueJson> {
  const { forge, access, actor } = request;
  const [named, other] = [pathIssue(request), await bodyIssue(request)];
  const dependent = waits === "path" ? named : other;
  await change(forge, actor, dependent, waits === "path" ? other : named);
  const issue = await issues.get(forge, access, named.number);
  return presentIssue(forge, viewOf(request), access, issue);
}

const issueListIssueDependencies = endpoint({
  ...reading,
  id: "issueListIssueDependencies",
  path: "/repos/{owner}/{repo}/issues/{index}/dependencies",
  summary: "List what an issue waits for",
  description: "What the caller may not read is shown as HIDDEN; writers see its number, title and state.",
  handle: async (request) => {
    const { forge, actor, access, page } = request;
    const rows = await dependencies.list(forge, actor, pathIssue(request));
    const listing = pageOf(rows, page);
    const items = await presentDependencies(forge, viewOf(request), access, listing.items);
    return { ...listing, items };
  },
});

const issueCreateIssueDependencies = endpoint({
  ...writing,
  id: "issueCreateIssueDependencies",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/dependencies",
  summary: "Let an issue wait for another one",
  handle: (request) => changeBetween(request, dependencies.create, "path"),
});

const issueRemoveIssueDependencies = endpoint({
  ...writing,
  id: "issueRemoveIssueDependencies",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/dependencies",
  summary: "Let an issue wait for another one no more",
  handle: (request) => changeBetween(request, dependencies.remove, "path"),
});

const issueListBlocks = endpoint({
  ...reading,
  id: "issueListBlocks",
  path: "/repos/{owner}/{repo}/issues/{index}/blocks",
  summary: "List what waits for an issue",
  handle: async (request) => {
    const { forge, actor, page } = request;
    const listing = pageOf(await dependencies.listBlocked(forge, actor, pathIssue(request)), page);
    const placed = listing.items.map(({ issue, access }) => ({ issue, place: access }));
    return { ...listing, items: await presentPlaced(forge, viewOf(request), placed) };
  },
});

const issueCreateIssueBlocking = endpoint({
  ...writing,
  id: "issueCreateIssueBlocking",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/blocks",
  summary: "Let another issue wait for this one",
  handle: (request) => changeBetween(request, dependencies.create, "body"),
});

const issueRemoveIssueBlocking = endpoint({
  ...writing,
  id: "issueRemoveIssueBlocking",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/blocks",
  summary: "Let another issue wait for this one no more",
  handle: (request) => changeBetween(request, dependencies.remove, "body"),
});

export const dependencyEndpoints = [
  issueListIssueDependencies,
  issueCreateIssueDependencies,
  issueRemoveIssueDependencies,
  issueListBlocks,
  issueCreateIssueBlocking,
  issueRemoveIssueBlocking,
];
