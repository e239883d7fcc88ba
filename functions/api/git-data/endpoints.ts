import { listTree } from "#core/code/list-tree";
import { getAnnotatedTag, getBlob, getBlobs, getTree, listRefs } from "#core/code/objects";
import { openCode } from "#core/code/open";
import { badRequest, notFound } from "#core/errors";
import { findReleaseTags } from "#core/release/downloads";
import { z } from "#zod";
import { presentEach } from "../../http/answer/present-each.ts";
import { Reply } from "../../http/answer/reply.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, text } from "../../http/query.ts";
import { gitLink } from "../commit/present.ts";
import { readsCode } from "../repository/needs.ts";
import { presentAnnotatedTag, presentBlob, presentReference, presentTreeEntry } from "./present.ts";
import { AnnotatedTag, GitBlob, GitTreeResponse, Reference } from "./schema.ts";

const mostEntries = 1_000;
/** What an entry takes in an answer, and while it is made, beside its path; how often the path is there. */
const [treeEntryBytes, pathFactor] = [1_500, 6];
/** Names are seldom longer; no entry of a tree has fewer bytes. */
const [usualName, leastEntry] = [1_000, 29];
const mostBlobs = 50;

const treeMemory = (entries: number, pathBytes: number): number =>
  entries * treeEntryBytes + pathFactor * pathBytes;

/** A page's number or size; a senseless one counts as absent. */
const pageNumber = (most: number) =>
  text
    .transform((given) => {
      const value = Number(given ?? "");
      return Number.isInteger(value) && value > 0 ? Math.min(value, most) : undefined;
    })
    .pipe(z.int().optional())
    .openapi({ type: "integer" });

const getTreeEndpoint = endpoint({
  id: "GetTree",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/trees/{sha}",
  summary: "List the entries of a tree, by its id, a commit's or a ref; main:docs is a folder of one",
  cost: "heavy",
  needs: readsCode,
  slashed: "sha",
  query: {
    recursive: flag.openapi({ description: "with the content of its folders" }),
    page: pageNumber(2 ** 31),
    per_page: pageNumber(mostEntries).openapi({ description: `entries of a page, at most ${mostEntries}` }),
    limit: pageNumber(mostEntries).openapi({ description: "the same as per_page" }),
  },
  status: 200,
  returns: { json: GitTreeResponse },
  errors: [400, 403, 404],
  handle: async ({ forge, access, params, query, signal }) => {
    const code = await openCode(forge, access.repository.id, signal);
    const sha = await getTree(code, params.sha);
    const { page = 1, per_page, limit } = query;
    const size = per_page ?? limit ?? mostEntries;
    const range = { isRecursive: query.recursive === true, skip: (page - 1) * size, limit: size };
    const treeBytes = code.history.treeSize(sha);
    const most = range.isRecursive ? size : Math.min(size, treeBytes / leastEntry);
    await code.reserve(treeMemory(most, Math.min(treeBytes, size * usualName)));
    const { entries, total, isCut } = await listTree(code.history, sha, range);
    const pathBytes = entries.reduce((sum, { path }) => sum + Buffer.byteLength(path), 0);
    await code.reserveInAll(treeMemory(entries.length, pathBytes));
    const answer = {
      sha,
      url: gitLink({ config: forge.config }, access, "trees", sha),
      tree: entries.map((entry) => presentTreeEntry({ config: forge.config }, access, entry)),
      truncated: isCut || total > size,
      page,
      total_count: total,
    };
    const headers = { "X-Total-Count": String(total), "access-control-expose-headers": "X-Total-Count" };
    return new Reply(answer, { headers });
  },
});

const getBlobEndpoint = endpoint({
  id: "GetBlob",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/blobs/{sha}",
  summary: "Get a file's content by the id of its blob",
  description: "Contents above 10 MiB are left out.",
  needs: readsCode,
  status: 200,
  returns: { json: GitBlob },
  errors: [400, 403, 404],
  handle: async ({ forge, access, params, signal }) => {
    const code = await openCode(forge, access.repository.id, signal);
    return presentBlob({ config: forge.config }, access, await getBlob(code, params.sha));
  },
});

const getBlobsEndpoint = endpoint({
  id: "getBlobs",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/blobs",
  summary: "Get the contents of several files by the ids of their blobs",
  description: "Contents that would take them above 4 MiB together are left out.",
  needs: readsCode,
  query: { shas: text.openapi({ description: `ids with commas between, at most ${mostBlobs}` }) },
  status: 200,
  returns: { json: z.array(GitBlob) },
  errors: [400, 403, 404],
  handle: async ({ forge, access, query, signal }) => {
    const shas = (query.shas ?? "").split(",").filter((sha) => sha !== "");
    if (shas.length === 0) throw badRequest("shas is required: ids of blobs with commas between");
    if (shas.length > mostBlobs) throw badRequest(`at most ${mostBlobs} blobs can be asked for at once`);
    const code = await openCode(forge, access.repository.id, signal);
    return (await getBlobs(code, shas)).map((blob) => presentBlob({ config: forge.config }, access, blob));
  },
});

const repoListAllGitRefs = endpoint({
  id: "repoListAllGitRefs",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/refs",
  summary: "List all refs",
  needs: readsCode,
  status: 200,
  returns: { json: z.array(Reference) },
  errors: [403, 404],
  handle: async ({ forge, access, signal }) => {
    const code = await openCode(forge, access.repository.id, signal);
    const refs = await listRefs(code, "");
    if (refs.length === 0) throw notFound("the repository has no refs");
    return presentEach(refs, (ref) => presentReference(forge, access, ref));
  },
});

const repoListGitRefs = endpoint({
  id: "repoListGitRefs",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/refs/{ref}",
  summary: "List the refs whose names begin with this, such as heads/main or tags",
  needs: readsCode,
  slashed: "ref",
  status: 200,
  returns: { json: z.array(Reference) },
  errors: [403, 404],
  handle: async ({ forge, access, params, signal }) => {
    const code = await openCode(forge, access.repository.id, signal);
    const refs = await listRefs(code, params.ref);
    if (refs.length === 0) throw notFound(`no ref begins like this [ref: ${params.ref}]`);
    return presentEach(refs, (ref) => presentReference(forge, access, ref));
  },
});

const getAnnotatedTagEndpoint = endpoint({
  id: "GetAnnotatedTag",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/git/tags/{sha}",
  summary: "Get an annotated tag by the id of its object",
  cost: "heavy",
  needs: readsCode,
  status: 200,
  returns: { json: AnnotatedTag },
  errors: [400, 403, 404],
  handle: async ({ forge, actor, access, params, signal }) => {
    const code = await openCode(forge, access.repository.id, signal);
    const found = await getAnnotatedTag(forge, code, params.sha);
    const { name } = found.tag;
    const releaseTags = await findReleaseTags(forge, access.repository.id, [name]);
    return presentAnnotatedTag({ config: forge.config, actor }, access, found, releaseTags.get(name));
  },
});

export const gitDataEndpoints = [
  getTreeEndpoint,
  getBlobEndpoint,
  getBlobsEndpoint,
  repoListAllGitRefs,
  repoListGitRefs,
  getAnnotatedTagEndpoint,
];
