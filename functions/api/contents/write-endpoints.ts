import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { changeFiles, type FilesChange, type FilesChanged } from "#core/code/change-files";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { presentEach } from "../../http/answer/present-each.ts";
import { Reply } from "../../http/answer/reply.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentVerification } from "../commit/verification.ts";
import { writesCode } from "../repository/needs.ts";
import { changeFrom } from "./changes.ts";
import { presentEntry } from "./present.ts";
import { presentFileCommit } from "./present-file-commit.ts";
import {
  ApplyDiffPatchOptions,
  ChangeFilesOptions,
  type CommitOptions,
  CreateFileOptions,
  DeleteFileOptions,
  FileDeleteResponse,
  FileResponse,
  FilesResponse,
  UpdateFileOptions,
} from "./write-schema.ts";

/** Base64 of files of about 22 MiB; larger ones come by a push. */
const bodyBytes = 32 * 2 ** 20;
const errors = [401, 403, 404, 409, 422, 423];

/** The parts of a request that a write of files needs. */
interface WriteRequest {
  readonly forge: Forge;
  readonly actor: Actor;
  readonly access: RepositoryAccess;
}

/** Commits changes of files, and makes the common part of the answers. */
async function write(
  { forge, actor, access }: WriteRequest,
  options: CommitOptions,
  what: Pick<FilesChange, "files" | "patch" | "refusal">,
) {
  const change = { ...changeFrom(options), ...what };
  const changed = await changeFiles(forge, access.repository, actor, change);
  return {
    contents: await contentsOf(forge, access, changed),
    commit: presentFileCommit(forge, access, changed.commit),
    verification: presentVerification({ actor }, changed.verification),
  };
}

function contentsOf(forge: Forge, access: RepositoryAccess, { commit, branch, entries }: FilesChanged) {
  const shownAt = { commit: { id: commit.id, kind: "branch" as const, name: branch }, asked: branch };
  return presentEach(entries, (entry) =>
    entry === undefined ? null : presentEntry(forge, access, entry, shownAt),
  );
}

const repoCreateFile = endpoint({
  id: "repoCreateFile",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/contents/{filepath}",
  summary: "Create a file in a commit of its own",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  slashed: "filepath",
  isBodyFirst: true,
  body: CreateFileOptions,
  bodyBytes,
  status: 201,
  returns: { json: FileResponse },
  errors,
  handle: async (request) => {
    const { content, ...options } = request.body;
    const file = { operation: "create", path: request.params.filepath, content } as const;
    const { contents, ...rest } = await write(request, options, { files: [file] });
    return { content: contents[0] ?? null, ...rest };
  },
});

const repoUpdateFile = endpoint({
  id: "repoUpdateFile",
  tag: "repository",
  method: "put",
  path: "/repos/{owner}/{repo}/contents/{filepath}",
  summary: "Overwrite or move a file in a commit of its own; without sha it is created, with 201",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  slashed: "filepath",
  isBodyFirst: true,
  body: UpdateFileOptions,
  bodyBytes,
  status: 200,
  otherStatus: 201,
  returns: { json: FileResponse },
  errors,
  handle: async (request) => {
    const { content, sha, from_path, ...options } = request.body;
    const operation = sha ? "update" : "create";
    const file = {
      operation,
      path: request.params.filepath,
      content,
      ...defined({ sha: sha || undefined }),
    } as const;
    const from = sha && from_path ? { fromPath: from_path } : {};
    const { contents, ...rest } = await write(request, options, { files: [{ ...file, ...from }] });
    const answer = { content: contents[0] ?? null, ...rest };
    return sha ? answer : new Reply(answer, { status: 201 });
  },
});

const repoDeleteFile = endpoint({
  id: "repoDeleteFile",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/contents/{filepath}",
  summary: "Delete a file in a commit of its own",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  slashed: "filepath",
  isBodyFirst: true,
  body: DeleteFileOptions,
  status: 200,
  returns: { json: FileDeleteResponse },
  errors: [400, ...errors],
  handle: async (request) => {
    const { sha, ...options } = request.body;
    const file = { operation: "delete", path: request.params.filepath, sha } as const;
    const { contents: _, ...rest } = await write(request, options, { files: [file], refusal: "bad-request" });
    return { content: null, ...rest };
  },
});

const repoChangeFiles = endpoint({
  id: "repoChangeFiles",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/contents",
  summary: "Create, overwrite, move and delete several files in one commit",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  isBodyFirst: true,
  body: ChangeFilesOptions,
  bodyBytes,
  status: 201,
  returns: { json: FilesResponse },
  errors,
  handle: async (request) => {
    const { files, ...options } = request.body;
    const operations = files.map(({ operation, path, content, sha, from_path }) => ({
      ...{ operation, path },
      ...defined({ content, sha: sha || undefined, fromPath: from_path || undefined }),
    }));
    const { contents, ...rest } = await write(request, options, { files: operations });
    return { files: contents, ...rest };
  },
});

const repoApplyDiffPatch = endpoint({
  id: "repoApplyDiffPatch",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/diffpatch",
  summary: "Apply a patch in one commit",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  isBodyFirst: true,
  body: ApplyDiffPatchOptions,
  bodyBytes,
  status: 201,
  returns: { json: FileResponse },
  errors,
  handle: async (request) => {
    const { content: patch, sha: _sha, from_path: _from, ...options } = request.body;
    const { contents: _contents, ...rest } = await write(request, options, { files: [], patch });
    return { content: null, ...rest };
  },
});

export const fileEndpoints = [
  repoCreateFile,
  repoUpdateFile,
  repoDeleteFile,
  repoChangeFiles,
  repoApplyDiffPatch,
];
