import { z } from "#zod";
import { CommitUser } from "../commit/schema.ts";
import { PayloadCommitVerification } from "../commit/verification.ts";

const GitEntry = z
  .object({
    path: z.string(),
    mode: z.string(),
    type: z.string(),
    size: z.int(),
    sha: z.string(),
    url: z.string(),
  })
  .openapi("GitEntry");
export const GitTreeResponse = z
  .object({
    sha: z.string(),
    url: z.string(),
    tree: z.array(GitEntry),
    truncated: z.boolean(),
    page: z.int(),
    total_count: z.int(),
  })
  .openapi("GitTreeResponse");
export type GitEntryJson = z.infer<typeof GitEntry>;

export const GitBlob = z
  .object({ content: z.string(), encoding: z.string(), url: z.string(), sha: z.string(), size: z.int() })
  .openapi("GitBlobResponse");
export type GitBlobJson = z.infer<typeof GitBlob>;

const GitObject = z.object({ type: z.string(), sha: z.string(), url: z.string() }).openapi("GitObject");
export const Reference = z
  .object({ ref: z.string(), url: z.string(), object: GitObject })
  .openapi("Reference");
export type ReferenceJson = z.infer<typeof Reference>;

export const TagArchiveDownloadCount = z
  .object({ zip: z.int(), tar_gz: z.int() })
  .openapi("TagArchiveDownloadCount");
const AnnotatedTagObject = z
  .object({ type: z.string(), url: z.string(), sha: z.string() })
  .openapi("AnnotatedTagObject");
export const AnnotatedTag = z
  .object({
    tag: z.string(),
    sha: z.string(),
    url: z.string(),
    message: z.string(),
    tagger: CommitUser,
    object: AnnotatedTagObject,
    verification: PayloadCommitVerification,
    archive_download_count: TagArchiveDownloadCount,
  })
  .openapi("AnnotatedTag");
export type AnnotatedTagJson = z.infer<typeof AnnotatedTag>;
