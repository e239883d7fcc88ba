import type { RepositoryAccess } from "#core/access/repository-access";
import { type Contents, type Entry, readContents, readFiles } from "#core/code/contents";
import { readEditorSettings } from "#core/code/editor-config";
import { type Code, getCommit, isCodeEmpty, openCode } from "#core/code/open";
import { readRawFile } from "#core/code/raw-file";
import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import { z } from "#zod";
import { upToMostBytes } from "../../http/answer/answer.ts";
import type { Page } from "../../http/answer/paging.ts";
import { presentEach } from "../../http/answer/present-each.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { readsCode } from "../repository/needs.ts";
import { mediaAnswer } from "./media.ts";
import { presentEntry, type ShownAt } from "./present.ts";
import { rawAnswer } from "./raw.ts";
import {
  ContentsExtResponse,
  type ContentsJson,
  ContentsResponse,
  EditorConfig,
  GetFilesOptions,
} from "./schema.ts";

const ref = { ref: text.openapi({ description: "a branch, tag or commit; the default branch when absent" }) };

/** The parts of a request that a read of contents needs. */
interface ContentsRequest {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly query: { readonly ref?: string | undefined };
  readonly page: Page;
  readonly signal: AbortSignal;
}

/** The thing at a path, presented: a listing of a folder, else one thing. */
async function contentsAt(request: ContentsRequest, path: string) {
  const { forge, access, query, page } = request;
  const code = await openCode(forge, access.repository.id, request.signal);
  if (isCodeEmpty(code)) return { items: [], total: 0 };
  const { commit, found } = await find(code, path, query.ref, page);
  const shownAt = { commit, asked: query.ref ?? access.repository.defaultBranch };
  if (found.kind === "entry") return presentEntry(forge, access, found.entry, shownAt);
  return { items: presented(request, found.entries, shownAt), total: found.total };
}

/** Entries as JSON, each made when it is asked for: their paths may be long. */
async function* presented(
  { forge, access }: ContentsRequest,
  entries: readonly Entry[],
  shownAt: ShownAt,
): AsyncGenerator<ContentsJson> {
  for (const entry of entries) yield presentEntry(forge, access, entry, shownAt);
}

/** The whole folder unless a page was asked for: the family has no pages here (D-PAGING). */
async function find(code: Code, path: string, asked: string | undefined, { isAsked, page, limit }: Page) {
  const commit = await getCommit(code, asked);
  const range = isAsked ? [{ skip: (page - 1) * limit, limit }] : [];
  const found: Contents = await readContents(code, commit, path, ...range);
  return { commit, found };
}

const repoGetContentsList = endpoint({
  id: "repoGetContentsList",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/contents",
  summary: "List the root folder of a repository",
  needs: readsCode,
  query: ref,
  status: 200,
  returns: { oneOrList: ContentsResponse, usually: "list" },
  errors: [403, 404],
  handle: (request) => contentsAt(request, ""),
});

const repoGetContents = endpoint({
  id: "repoGetContents",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/contents/{filepath}",
  summary: "Get a file, link or submodule with its content, or list a folder",
  description: "The content of files above 1 MiB is left out: download_url leads to it.",
  needs: readsCode,
  slashed: "filepath",
  query: ref,
  status: 200,
  returns: { oneOrList: ContentsResponse },
  errors: [403, 404],
  handle: (request) => contentsAt(request, request.params.filepath),
});

const includable = ["file_content", "lfs_metadata", "commit_metadata", "commit_message"];

const repoGetContentsExt = endpoint({
  id: "repoGetContentsExt",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/contents-ext/{filepath}",
  summary: "Get a file or list a folder, with further details on request; the path . is the root",
  description:
    "Of a folder of more than 8,000 things, or 4 MB of them, the first ones: page and limit give the others.",
  needs: readsCode,
  slashed: "filepath",
  isSlashedOptional: true,
  query: { ...ref, includes: text.openapi({ description: includable.join(", ") }) },
  status: 200,
  returns: { json: ContentsExtResponse },
  errors: [400, 403, 404],
  handle: async (request) => {
    const includes = (request.query.includes ?? "").split(",").filter((word) => word !== "");
    const unknown = includes.find((word) => !includable.includes(word));
    if (unknown !== undefined)
      throw badRequest(`unknown include ${unknown}: choose of ${includable.join(", ")}`);
    const found = await contentsAt(request, request.params.filepath);
    if ("items" in found) {
      const shown = await upToMostBytes(request.forge, found.items, (entry) => entry);
      return { file_contents: null, dir_contents: shown };
    }
    const isWhole = includes.includes("file_content");
    return {
      file_contents: isWhole ? found : { ...found, content: null, encoding: null },
      dir_contents: null,
    };
  },
});

/** Files in the order asked, null for paths that are no file. */
async function filesAt(
  { forge, access, query, signal }: Omit<ContentsRequest, "page">,
  paths: readonly string[],
): Promise<(ContentsJson | null)[]> {
  const code = await openCode(forge, access.repository.id, signal);
  const commit = await getCommit(code, query.ref);
  const shownAt = { commit, asked: query.ref ?? access.repository.defaultBranch };
  const entries = await readFiles(code, commit, paths);
  return presentEach(entries, (entry) =>
    entry === undefined ? null : presentEntry(forge, access, entry, shownAt),
  );
}

/** The files that a body in a query names. */
function filesIn(body: string): readonly string[] {
  let asked: unknown;
  try {
    asked = JSON.parse(body);
  } catch {
    asked = undefined; // reported below, together with other faults
  }
  const { data } = GetFilesOptions.safeParse(asked);
  if (data === undefined) throw badRequest('body has to be {"files": ["a path", …]} with at most 100 paths');
  return data.files;
}

const repoGetFileContents = endpoint({
  id: "repoGetFileContents",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/file-contents",
  summary: "Get several files at once; body holds the body of the POST",
  needs: readsCode,
  query: { ...ref, body: text.openapi({ description: 'JSON: {"files": ["README.md"]}' }) },
  status: 200,
  returns: { json: z.array(ContentsResponse.nullable()) },
  errors: [400, 403, 404],
  handle: async (request) => {
    return filesAt(request, filesIn(request.query.body ?? ""));
  },
});

const repoGetFileContentsPost = endpoint({
  id: "repoGetFileContentsPost",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/file-contents",
  summary: "Get several files at once, null for paths that are no file",
  needs: readsCode,
  query: ref,
  body: GetFilesOptions,
  status: 200,
  returns: { json: z.array(ContentsResponse.nullable()) },
  errors: [403, 404],
  handle: (request) => filesAt(request, request.body.files),
});

const repoGetEditorConfig = endpoint({
  id: "repoGetEditorConfig",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/editorconfig/{filepath}",
  summary: "Get the settings of the root's .editorconfig for a file, which need not exist",
  cost: "heavy",
  needs: readsCode,
  slashed: "filepath",
  query: ref,
  status: 200,
  returns: { json: EditorConfig },
  errors: [403, 404],
  handle: async ({ forge, access, params, query, signal }) => {
    const code = await openCode(forge, access.repository.id, signal);
    return readEditorSettings(code, params.filepath, query.ref);
  },
});

async function fileAt({ forge, access, query, signal }: Omit<ContentsRequest, "page">, path: string) {
  const code = await openCode(forge, access.repository.id, signal);
  return rawAnswer(await readRawFile(code, path, query.ref));
}

const repoGetRawFile = endpoint({
  id: "repoGetRawFile",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/raw/{filepath}",
  summary: "Get a file as it is; without ref the path may begin with a branch, tag or commit",
  needs: readsCode,
  slashed: "filepath",
  query: ref,
  status: 200,
  returns: { file: true },
  errors: [403, 404],
  handle: (request) => fileAt(request, request.params.filepath),
});

const repoGetRawFileOrLFS = endpoint({
  id: "repoGetRawFileOrLFS",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/media/{filepath}",
  summary: "Get a file as it is, or the large object that it points to",
  needs: readsCode,
  slashed: "filepath",
  query: ref,
  status: 200,
  returns: { file: true },
  errors: [403, 404],
  handle: async ({ forge, access, params, query, signal }) => {
    const code = await openCode(forge, access.repository.id, signal);
    return mediaAnswer(forge, access.repository.id, await readRawFile(code, params.filepath, query.ref));
  },
});

export const contentsEndpoints = [
  repoGetContentsList,
  repoGetContents,
  repoGetContentsExt,
  repoGetFileContents,
  repoGetFileContentsPost,
  repoGetEditorConfig,
  repoGetRawFile,
  repoGetRawFileOrLFS,
];
