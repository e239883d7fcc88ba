import { decodeBase64 } from "#core/base64";
import { isValidRefName } from "#core/git/format/check-ref-name";
import { z } from "#zod";
import { dateTime, secondsFrom } from "../../http/timestamps.ts";
import { CommitMeta, CommitUser } from "../commit/schema.ts";
import { PayloadCommitVerification } from "../commit/verification.ts";
import { ContentsResponse } from "./schema.ts";

const branchName = z
  .string()
  .max(100)
  .refine(
    (name) => name === "" || isValidRefName(`refs/heads/${name}`),
    "GitRefName: git allows no such branch name",
  );

/** Base64 of the standard alphabet; line breaks in it are passed over. */
const content = z
  .string()
  .transform((text, { addIssue }): Buffer => {
    const bytes = decodeBase64(text);
    if (bytes !== undefined) return bytes;
    addIssue("Base64: expected base64");
    return z.NEVER;
  })
  .pipe(z.instanceof(Buffer))
  .openapi({ type: "string", format: "byte" });

const Identity = z
  .object({ name: z.string().max(100).optional(), email: z.string().max(254).optional() })
  .openapi("Identity");
/** The family's time that stands for none. */
export const isZeroTime = (text: string): boolean => text.startsWith("0001-");
const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => isZeroTime(text) || secondsFrom(text) >= 0, "git knows no time before 1970")
  .optional();
const CommitDateOptions = z.object({ author: moment, committer: moment }).openapi("CommitDateOptions");

const common = {
  message: z.string().optional(),
  branch: branchName.optional().openapi({ description: "the default branch when absent" }),
  new_branch: branchName.optional().openapi({ description: "a branch to be made for the commit" }),
  force_push: z
    .boolean()
    .optional()
    .openapi({ description: "the new branch may be there: it moves to the commit, whatever it held" }),
  author: Identity.optional(),
  committer: Identity.optional(),
  dates: CommitDateOptions.optional(),
  signoff: z.boolean().optional(),
};
export type CommitOptions = z.infer<z.ZodObject<typeof common>>;

const longestFromPath = 500;

export const CreateFileOptions = z.object({ ...common, content }).openapi("CreateFileOptions");
export const UpdateFileOptions = z
  .object({
    ...common,
    content,
    sha: z
      .string()
      .optional()
      .openapi({ description: "the blob that is there; without it the file is created" }),
    from_path: z.string().max(longestFromPath).optional(),
  })
  .openapi("UpdateFileOptions");
export const DeleteFileOptions = z.object({ ...common, sha: z.string().min(1) }).openapi("DeleteFileOptions");

/** About as long as the diff of a commit in an answer may be. */
const longestPatch = 4 * 2 ** 20;
export const ApplyDiffPatchOptions = z
  .object({
    ...common,
    content: z
      .string()
      .max(longestPatch)
      .openapi({ description: "the patch as plain text, as git diff or git format-patch write it" }),
    sha: z.string().optional().openapi({ description: "of no use; the family asks for it" }),
    from_path: z.string().max(longestFromPath).optional().openapi({ description: "of no use" }),
  })
  .openapi("ApplyDiffPatchFileOptions");

const mostFiles = 1_000;
const ChangeFileOperation = z
  .object({
    operation: z.enum(["create", "update", "delete"]),
    path: z.string().min(1),
    content: content.optional(),
    sha: z.string().optional(),
    from_path: z.string().max(longestFromPath).optional(),
  })
  .openapi("ChangeFileOperation");
export const ChangeFilesOptions = z
  .object({ ...common, files: z.array(ChangeFileOperation).min(1).max(mostFiles) })
  .openapi("ChangeFilesOptions");

const FileCommitResponse = z
  .object({
    url: z.string(),
    sha: z.string(),
    created: dateTime,
    html_url: z.string(),
    author: CommitUser,
    committer: CommitUser,
    parents: z.array(CommitMeta),
    message: z.string(),
    tree: CommitMeta,
  })
  .openapi("FileCommitResponse");
export type FileCommitJson = z.infer<typeof FileCommitResponse>;

const verification = PayloadCommitVerification;
export const FileResponse = z
  .object({ content: ContentsResponse.nullable(), commit: FileCommitResponse, verification })
  .openapi("FileResponse");
export const FilesResponse = z
  .object({ files: z.array(ContentsResponse.nullable()), commit: FileCommitResponse, verification })
  .openapi("FilesResponse");
export const FileDeleteResponse = z
  .object({ content: z.null(), commit: FileCommitResponse, verification })
  .openapi("FileDeleteResponse");
