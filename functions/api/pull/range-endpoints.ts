import type { RepositoryAccess } from "#core/access/repository-access";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { whitespaceWords } from "#core/git/diff/lines/whitespace";
import { findHeadPlace } from "#core/pull/head/head-branch";
import { listPullCommits, listPullFiles, openPullRange, pullDiff, pullPatch } from "#core/pull/range";
import { z } from "#zod";
import type { Page } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, text } from "../../http/query.ts";
import { noteDetailQuery, presentCommits } from "../commit/details.ts";
import { pageHeaders } from "../commit/page-headers.ts";
import { Commit } from "../commit/schema.ts";
import { readsPulls } from "./needs.ts";
import { presentChangedFile } from "./present.ts";
import { ChangedFile } from "./schema.ts";

const repoGetPullRequestCommits = endpoint({
  id: "repoGetPullRequestCommits",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}/commits",
  summary: "List the commits of a pull request with their files, newest first (B-15)",
  cost: "heavy",
  needs: readsPulls,
  query: noteDetailQuery,
  status: 200,
  returns: { list: Commit },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params, page, query, signal } = request;
    const range = await openPullRange(forge, access, params.index, signal);
    const { ids, total } = await listPullCommits(range, page);
    const items = presentCommits(request, range.code, ids, { ...query, stat: true });
    return new Reply({ items, total }, { headers: headersOf(page, total) });
  },
});

const repoGetPullRequestFiles = endpoint({
  id: "repoGetPullRequestFiles",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}/files",
  summary: "List the files that a pull request changes",
  cost: "heavy",
  needs: readsPulls,
  query: {
    "skip-to": text.openapi({ description: "only files after this one" }),
    whitespace: z.enum(whitespaceWords).optional().openapi({
      description: "what lines may differ in without being counted: show-all stands for nothing",
    }),
  },
  status: 200,
  returns: { list: ChangedFile },
  errors: [403, 404, 413, 422],
  handle: async (request) => {
    const { forge, access, actor, params, page, query, signal } = request;
    const { "skip-to": skipTo, whitespace } = query;
    const ignored = whitespace === "show-all" ? undefined : whitespace;
    const range = await openPullRange(forge, access, params.index, signal);
    const { items, total } = await listPullFiles(range, { ...page, ...defined({ skipTo, ignored }) });
    const place = await findHeadPlace(forge, actor, access, range.pull);
    const shown = items.map((one) => presentChangedFile(viewOf(request), place, range.head, one));
    return new Reply({ items: shown, total }, { headers: headersOf(page, total) });
  },
});

const repoDownloadPullDiffOrPatch = endpoint({
  id: "repoDownloadPullDiffOrPatch",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}.{diffType}",
  summary: "Get the changes of a pull request as a diff, or its commits as mails",
  cost: "heavy",
  needs: readsPulls,
  query: { binary: flag.openapi({ description: "a diff with binary files, so that they can be applied" }) },
  status: 200,
  returns: { text: true },
  errors: [403, 404, 413],
  handle: (request) => pullTextOf(request, request.params, request.query.binary),
});

/** A pull request as a diff, or as mails. */
export async function pullTextOf(
  { forge, access, signal }: { forge: Forge; access: RepositoryAccess; signal: AbortSignal },
  { index, diffType }: { readonly index: number | string; readonly diffType: string },
  isBinary = false,
): Promise<Buffer> {
  const range = await openPullRange(forge, access, Number(index), signal);
  return diffType === "diff" ? pullDiff(range, isBinary) : pullPatch(range);
}

/** Old clients read these beside the total. */
function headersOf(page: Page, total: number): Record<string, string> {
  const { "X-Total": _total, ...headers } = pageHeaders(page, total);
  return headers;
}

export const pullRangeEndpoints = [
  repoGetPullRequestCommits,
  repoGetPullRequestFiles,
  repoDownloadPullDiffOrPatch,
];
