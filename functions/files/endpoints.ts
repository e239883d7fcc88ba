import { type Code, type NamedCommit, openCode } from "#core/code/open";
import { type RawFile, readRawBlob, readRawFile, readRawFileAt } from "#core/code/raw-file";
import { archiveOf } from "../api/archive/endpoints.ts";
import { downloadArtifactFile } from "../api/artifact/file-endpoint.ts";
import { attachmentFileEndpoints } from "../api/attachment/file-endpoints.ts";
import { textOf } from "../api/commit/endpoints.ts";
import { mediaAnswer } from "../api/contents/media.ts";
import { rawAnswer } from "../api/contents/raw.ts";
import { readsPulls } from "../api/pull/needs.ts";
import { pullTextOf } from "../api/pull/range-endpoints.ts";
import { readsCode } from "../api/repository/needs.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { badgeEndpoints } from "./badge/endpoints.ts";
import { putAnnouncedObject } from "./upload-endpoint.ts";

const kinds: readonly NamedCommit["kind"][] = ["branch", "tag", "commit"];

const blobPath = /^blob\/([0-9a-f]{40}|[0-9a-f]{64})$/i;

/**
 * `raw/{branch|tag|commit}/{ref}/{path}`, or `raw/blob/{id}`; without the word as in the API. Slashes separate nothing
 * before the ref is known.
 */
const fileEndpoint = (id: string, word: "raw" | "media") =>
  endpoint({
    id,
    tag: "repository",
    method: "get",
    path: `/{owner}/{repo}/${word}/{filepath}`,
    summary: "Get a file as it is: where download_url leads",
    needs: readsCode,
    slashed: "filepath",
    status: 200,
    returns: { file: true },
    errors: [403, 404],
    handle: async ({ forge, access: { repository }, params: { filepath }, signal }) => {
      const file = await fileAt(await openCode(forge, repository.id, signal), filepath);
      return word === "raw" ? rawAnswer(file) : mediaAnswer(forge, repository.id, file);
    },
  });

function fileAt(code: Code, filepath: string): Promise<RawFile> {
  const [, blobId] = blobPath.exec(filepath) ?? [];
  if (blobId !== undefined) return readRawBlob(code, blobId);
  const kind = kinds.find((one) => filepath.startsWith(`${one}/`));
  return kind === undefined
    ? readRawFile(code, filepath, undefined)
    : readRawFileAt(code, kind, filepath.slice(kind.length + 1));
}

const downloadArchive = endpoint({
  id: "downloadArchive",
  tag: "repository",
  method: "get",
  path: "/{owner}/{repo}/archive/{filepath}",
  summary: "Get an archive: where zipball_url and tarball_url lead",
  cost: "heavy",
  needs: readsCode,
  slashed: "filepath",
  status: 200,
  returns: { file: true },
  errors: [400, 403, 404, 413],
  handle: (request) => archiveOf(request, request.params.filepath),
});

const downloadCommit = endpoint({
  id: "downloadCommit",
  tag: "repository",
  method: "get",
  path: "/{owner}/{repo}/commit/{sha}.{diffType}",
  summary:
    "Get a commit as a diff, or as a patch in mail format: its html_url with .diff or .patch behind it",
  cost: "heavy",
  needs: readsCode,
  status: 200,
  returns: { text: true },
  errors: [403, 404, 413],
  handle: (request) => textOf(request, request.params),
});

const downloadPull = endpoint({
  id: "downloadPull",
  tag: "repository",
  method: "get",
  path: "/{owner}/{repo}/pulls/{index}.{diffType}",
  summary: "Get a pull request as a diff, or its commits as mails: where diff_url and patch_url lead",
  cost: "heavy",
  needs: readsPulls,
  status: 200,
  returns: { text: true },
  errors: [403, 404, 413],
  handle: (request) => pullTextOf(request, request.params),
});

/** The operations at the addresses that answers name beside the API. */
export const fileEndpoints: readonly Endpoint[] = [
  fileEndpoint("downloadRawFile", "raw"),
  fileEndpoint("downloadMediaFile", "media"),
  downloadArchive,
  downloadCommit,
  downloadPull,
  ...attachmentFileEndpoints,
  downloadArtifactFile,
  putAnnouncedObject,
  ...badgeEndpoints,
];
