import type { RepositoryAccess } from "#core/access/repository-access";
import { listCommits, readCommit } from "#core/code/commits";
import { getNote, getNotedCommit, removeNote, setNote } from "#core/code/notes";
import { openCode } from "#core/code/open";
import { diffOf, patchOf } from "#core/code/patches";
import { defined } from "#core/defined";
import { invalid } from "#core/errors";
import type { Forge } from "#core/forge";
import { isValidRefName } from "#core/git/format/check-ref-name";
import { Reply } from "../../http/answer/reply.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text, time } from "../../http/query.ts";
import { readsCode, writesCode } from "../repository/needs.ts";
import { repoCompareDiff } from "./compare-endpoint.ts";
import { detailQuery, noteDetailQuery, presentCommits, presentOne } from "./details.ts";
import { pageHeaders } from "./page-headers.ts";
import { Commit, Note, NoteOptions } from "./schema.ts";

const repoGetAllCommits = endpoint({
  id: "repoGetAllCommits",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/commits",
  summary: "List commits, newest first",
  cost: "heavy",
  needs: readsCode,
  query: {
    sha: text.openapi({
      description: "a branch, tag or commit to start from; the default branch when absent",
    }),
    path: text.openapi({ description: "only commits that touched it" }),
    not: text.openapi({ description: "a ref; commits that it leads to are left out" }),
    since: time,
    until: time,
    ...detailQuery,
  },
  status: 200,
  returns: { list: Commit },
  errors: [403, 404, 409],
  handle: async (request) => {
    const { forge, access, query, page, signal } = request;
    const { sha, path, not, since, until, ...wanted } = query;
    const code = await openCode(forge, access.repository.id, signal);
    const { ids, total, isTotalExact } = await listCommits(code, {
      ...defined({ ref: sha, path, not, since, until }),
      ...{ page: page.page, limit: page.limit },
    });
    const items = presentCommits(request, code, ids, wanted);
    const listing = { items, total, ...(isTotalExact === false ? { isExact: false } : {}) };
    return new Reply(listing, { headers: pageHeaders(page, total) });
  },
});

const repoGetSingleCommit = endpoint({
  id: "repoGetSingleCommit",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/commits/{sha}",
  summary: "Get a commit by its id or a ref; with .diff or .patch at the end as a text",
  cost: "heavy",
  needs: readsCode,
  query: detailQuery,
  status: 200,
  returns: { json: Commit },
  errors: [403, 404, 422],
  handle: async (request) => {
    const { forge, access, params, query, signal } = request;
    if (!isValidRefName(`refs/heads/${params.sha}`)) {
      throw invalid("Sha", `GitRefName: no ref is called ${params.sha}`);
    }
    const code = await openCode(forge, access.repository.id, signal);
    return presentOne(request, code, await readCommit(code, params.sha), query);
  },
});

const repoDownloadCommitDiffOrPatch = endpoint({
  id: "repoDownloadCommitDiffOrPatch",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/commits/{sha}.{diffType}",
  summary: "Get the changes of a commit as a diff, or as a patch in mail format",
  cost: "heavy",
  needs: readsCode,
  status: 200,
  returns: { text: true },
  errors: [403, 404, 413],
  handle: (request) => textOf(request, request.params),
});

/** A commit as a diff, or as a mail. */
export async function textOf(
  { forge, access, signal }: { forge: Forge; access: RepositoryAccess; signal: AbortSignal },
  { sha, diffType }: { readonly sha: string; readonly diffType: string },
): Promise<Buffer> {
  const code = await openCode(forge, access.repository.id, signal);
  const commit = await readCommit(code, sha);
  return diffType === "diff" ? diffOf(code, commit) : patchOf(code, commit);
}

const repoGetNote = endpoint({
  id: "repoGetNote",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/notes/{sha}",
  summary: "Get the note of a commit",
  cost: "heavy",
  needs: readsCode,
  query: noteDetailQuery,
  status: 200,
  returns: { json: Note },
  errors: [403, 404, 422],
  handle: async (request) => {
    const { forge, access, params, query, signal } = request;
    const code = await openCode(forge, access.repository.id, signal);
    const { message, commit } = await getNote(code, await getNotedCommit(code, params.sha));
    return { message, commit: await presentOne(request, code, commit, { ...query, stat: false }) };
  },
});

const repoSetNote = endpoint({
  id: "repoSetNote",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/git/notes/{sha}",
  summary: "Write the note of a commit in place of the one that it has",
  cost: "heavy",
  needs: writesCode,
  body: NoteOptions,
  status: 200,
  returns: { json: Note },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, actor, access, params, body } = request;
    const given = { sha: params.sha, message: body.message ?? "" };
    const { message, commit } = await setNote(forge, access.repository, actor, given);
    const code = await openCode(forge, access.repository.id);
    const wanted = { stat: false, files: true, verification: true };
    return { message, commit: await presentOne(request, code, commit, wanted) };
  },
});

const repoRemoveNote = endpoint({
  id: "repoRemoveNote",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/git/notes/{sha}",
  summary: "Take the note of a commit away",
  cost: "heavy",
  needs: writesCode,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, access, params }) => {
    await removeNote(forge, access.repository, actor, params.sha);
    return undefined;
  },
});

export const commitEndpoints = [
  repoGetAllCommits,
  repoGetSingleCommit,
  repoDownloadCommitDiffOrPatch,
  repoCompareDiff,
  repoGetNote,
  repoSetNote,
  repoRemoveNote,
];
