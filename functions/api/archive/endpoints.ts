import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { callerOf } from "#core/caller/caller";
import { type Archive, getArchive } from "#core/code/archive";
import type { ArchiveKind } from "#core/code/make-archive";
import { openCode } from "#core/code/open";
import type { Forge } from "#core/forge";
import { countArchiveDownload } from "#core/release/downloads";
import type { FileAnswer } from "../../http/answer/file-answer.ts";
import { apiLinkTo } from "../../http/answer/links.ts";
import { endpoint } from "../../http/endpoint.ts";
import { attachmentAs } from "../contents/content-type.ts";
import { readsCode } from "../repository/needs.ts";

const types: Readonly<Record<ArchiveKind, string>> = {
  zip: "application/zip",
  "tar.gz": "application/gzip",
  bundle: "application/octet-stream",
};

/** An archive as a download. `immutable` leads to the same one by its commit's id. */
function archiveAnswer(
  { kind, ref, etag, sizeBytes, modifiedAt, read }: Archive,
  link: ArchiveLink,
): FileAnswer {
  const immutable = `${link.base}/${link.commit}.${kind}?rev=${link.commit}`;
  return {
    ...{ sizeBytes, etag, modifiedAt, read, contentType: types[kind] },
    headers: {
      "cache-control": "private, max-age=300",
      "content-disposition": attachmentAs(`${link.repository}-${ref.replaceAll("/", "-")}.${kind}`),
      link: `<${immutable}>; rel="immutable"`,
      "access-control-expose-headers": "Content-Disposition, Link",
    },
  };
}

interface ArchiveLink {
  readonly base: string;
  readonly commit: string;
  readonly repository: string;
}

/** The archive that a name such as `v1.0.zip` asks for, as a download. */
export async function archiveOf(
  { forge, access, actor, address, signal }: ArchiveRequest,
  name: string,
): Promise<FileAnswer> {
  const { owner, repository } = access;
  const code = await openCode(forge, repository.id, signal);
  const archive = await getArchive(forge, code, {
    ...{ folder: repository.name, asked: name, signal },
    caller: callerOf(actor, address),
  });
  const base = apiLinkTo(forge.config, "repos", owner.name, repository.name, "archive");
  const counted = { ...archive, read: () => countedBytes(forge, repository.id, archive) };
  return archiveAnswer(counted, { base, commit: archive.commit.id, repository: repository.name });
}

/** The bytes of an archive; a download of a tag's is counted at its release. */
async function* countedBytes(
  forge: Forge,
  repositoryId: number,
  { commit, kind, read }: Archive,
): AsyncGenerator<Uint8Array> {
  if (commit.kind === "tag" && kind !== "bundle") {
    await countArchiveDownload(forge, repositoryId, commit.name, kind);
  }
  yield* read();
}

interface ArchiveRequest {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly actor: Actor | undefined;
  readonly address: string;
  readonly signal: AbortSignal;
}

const repoGetArchive = endpoint({
  id: "repoGetArchive",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/archive/{filepath}",
  originalNames: { filepath: "archive" },
  summary: "Get an archive of a branch, tag or commit",
  description:
    "The name is the ref and .zip, .tar.gz or .bundle, such as v1.0.zip; the ref may hold slashes.",
  cost: "heavy",
  needs: readsCode,
  slashed: "filepath",
  status: 200,
  returns: { file: true },
  errors: [400, 403, 404, 413],
  handle: (request) => archiveOf(request, request.params.filepath),
});

/** Spellings without an ending, one for each form (semantics §37.2). */
const forms = [
  { id: "repoDownloadZipArchive", word: "zipball", kind: "zip" },
  { id: "repoDownloadTarArchive", word: "tarball", kind: "tar.gz" },
  { id: "repoDownloadBundleArchive", word: "bundle", kind: "bundle" },
] as const;

const formEndpoints = forms.map(({ id, word, kind }) =>
  endpoint({
    id,
    tag: "repository",
    method: "get",
    path: `/repos/{owner}/{repo}/${word}/{ref}`,
    summary: `Get a branch, tag or commit as ${kind}`,
    cost: "heavy",
    needs: readsCode,
    slashed: "ref",
    status: 200,
    returns: { file: true },
    errors: [403, 404, 413],
    handle: (request) => archiveOf(request, `${request.params.ref}.${kind}`),
  }),
);

export const archiveEndpoints = [repoGetArchive, ...formEndpoints];
