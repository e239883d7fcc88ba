import { isHiddenFromToken } from "#core/access/public-only";
import { findAccess, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { createDependency, removeDependency, type WaitedFor } from "#core/dependency/dependency";
import { type IssueIn, listBlockedIssues, listDependencies } from "#core/dependency/list";
import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { getIssue } from "#core/issue/change/change";
import { findNamedIssue } from "#core/issue/references/named-issues";
import { z } from "#zod";
import { pageOf } from "../../http/answer/paging.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { readsIssues, readsIssuesSignedIn } from "../issue/needs.ts";
import { Issue, type IssueJson } from "../issue/schema.ts";
import { showIssue, showPlaced } from "../issue/show.ts";
import { presentDependencies } from "./present.ts";

const place = {
  owner: z.string().optional().openapi({ description: "of the repository; absent: as in the path" }),
  repo: z.string().optional().openapi({ description: "absent: as in the path" }),
};
const IssueMeta = z.object({ index: z.int(), ...place }).openapi("IssueMeta");

const RemovedDependency = z
  .object({
    index: z.int().optional(),
    ...place,
    id: z
      .int()
      .optional()
      .openapi({ description: "instead of the rest: as the list of dependencies shows it" }),
  })
  .refine(({ index, id }) => (index === undefined) !== (id === undefined), {
    path: ["index"],
    message: "Required, or the id in its place",
  })
  .openapi("RemovedDependency");

const reading = {
  tag: "issue",
  method: "get",
  needs: readsIssues,
  status: 200,
  returns: { list: Issue, hasTexts: true },
  errors: [404],
} as const;
const writing = {
  tag: "issue",
  needs: readsIssuesSignedIn,
  body: IssueMeta,
  status: 201, // as the family answers, also for a removal
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
const pathIssue = ({ access, params }: Pick<WriteRequest, "access" | "params">): IssueIn => ({
  access,
  number: params.index,
});

/** The issue in the body. NotFound when the caller may not see its repository. */
async function bodyIssue({ forge, access, actor, body }: WriteRequest): Promise<IssueIn> {
  const { owner, repo, number } = named(access, body);
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  if (isSame(owner, access.owner.name) && isSame(repo, access.repository.name)) return { access, number };
  const other = await findAccess(forge, actor, owner, repo);
  if (other === undefined || isHiddenFromToken(actor, other))
    throw notFound(`repository does not exist [${owner}/${repo}]`);
  return { access: other, number };
}

const named = ({ owner, repository }: RepositoryAccess, body: z.infer<typeof IssueMeta>) => ({
  owner: body.owner ?? owner.name,
  repo: body.repo ?? repository.name,
  number: body.index,
});

/** The issue that is no longer waited for, whether the caller may see it or not. */
async function removedOf(
  { forge, access }: Pick<WriteRequest, "forge" | "access">,
  { id, index = 0, ...place }: z.infer<typeof RemovedDependency>,
): Promise<WaitedFor> {
  if (id !== undefined) return { id };
  const { owner, repo: repository, number } = named(access, { index, ...place });
  const [found] = await findNamedIssue(forge, access.repository.id, [
    { owner, repository, number, action: "none", start: 0, end: 0 },
  ]);
  return found ?? { repositoryId: 0, number };
}

/** Changes a dependency, and answers the issue of the path. */
async function changed(
  request: Omit<WriteRequest, "body">,
  change: (named: IssueIn) => Promise<unknown>,
): Promise<IssueJson> {
  const { forge, access } = request;
  const issue = pathIssue(request);
  await change(issue);
  return showIssue(forge, viewOf(request), access, await getIssue(forge, access, issue.number));
}

const issueListIssueDependencies = endpoint({
  ...reading,
  id: "issueListIssueDependencies",
  path: "/repos/{owner}/{repo}/issues/{index}/dependencies",
  summary: "List the issues that an issue waits for",
  description:
    "An issue that the caller may not read is shown as HIDDEN; writers see its id, by which they may remove it.",
  handle: async (request) => {
    const { forge, actor, page } = request;
    const rows = await listDependencies(forge, actor, pathIssue(request));
    const listing = pageOf(rows, page);
    const view = viewOf(request);
    const readable = listing.items.flatMap((row) =>
      "hiddenId" in row ? [] : [{ issue: row.issue, place: row.access }],
    );
    const shown = await showPlaced(forge, view, readable);
    return { ...listing, items: presentDependencies(view, listing.items, shown) };
  },
});

const issueCreateIssueDependencies = endpoint({
  ...writing,
  id: "issueCreateIssueDependencies",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/dependencies",
  summary: "Let an issue wait for another one",
  refusesArchived: true,
  handle: (request) =>
    changed(request, async (issue) =>
      createDependency(request.forge, request.actor, issue, await bodyIssue(request)),
    ),
});

const issueRemoveIssueDependencies = endpoint({
  ...writing,
  id: "issueRemoveIssueDependencies",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/dependencies",
  summary: "Let an issue wait for another one no more",
  refusesArchived: true,
  description: "Writers of the issue may do so, even when the other issue is hidden from them.",
  body: RemovedDependency,
  handle: (request) =>
    changed(request, async (issue) =>
      removeDependency(request.forge, request.actor, issue, await removedOf(request, request.body)),
    ),
});

const issueListBlocks = endpoint({
  ...reading,
  id: "issueListBlocks",
  path: "/repos/{owner}/{repo}/issues/{index}/blocks",
  summary: "List the issues that wait for an issue",
  handle: async (request) => {
    const { forge, actor, page } = request;
    const listing = pageOf(await listBlockedIssues(forge, actor, pathIssue(request)), page);
    const placed = listing.items.map(({ issue, access }) => ({ issue, place: access }));
    return { ...listing, items: await showPlaced(forge, viewOf(request), placed) };
  },
});

const issueCreateIssueBlocking = endpoint({
  ...writing,
  id: "issueCreateIssueBlocking",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/blocks",
  summary: "Let another issue wait for this one",
  handle: (request) =>
    changed(request, async (issue) =>
      createDependency(request.forge, request.actor, await bodyIssue(request), issue),
    ),
});

const issueRemoveIssueBlocking = endpoint({
  ...writing,
  id: "issueRemoveIssueBlocking",
  method: "delete",
  path: "/repos/{owner}/{repo}/issues/{index}/blocks",
  summary: "Let another issue wait for this one no more",
  handle: (request) =>
    changed(request, async ({ access, number }) => {
      await getIssue(request.forge, access, number);
      const on = { repositoryId: access.repository.id, number };
      await removeDependency(request.forge, request.actor, await bodyIssue(request), on);
    }),
});

export const dependencyEndpoints = [
  issueListIssueDependencies,
  issueCreateIssueDependencies,
  issueRemoveIssueDependencies,
  issueListBlocks,
  issueCreateIssueBlocking,
  issueRemoveIssueBlocking,
];
