import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { User } from "../user/schema.ts";
import { PayloadCommitVerification, PayloadUser } from "./verification.ts";

export const CommitUser = z
  .object({ name: z.string(), email: z.string(), date: dateTime })
  .openapi("CommitUser");
export const CommitMeta = z
  .object({ url: z.string(), sha: z.string(), created: dateTime })
  .openapi("CommitMeta");

const RepoCommit = z
  .object({
    url: z.string(),
    author: CommitUser,
    committer: CommitUser,
    message: z.string(),
    tree: CommitMeta,
    verification: PayloadCommitVerification.nullable(),
  })
  .openapi("RepoCommit");
const CommitAffectedFiles = z
  .object({ filename: z.string(), status: z.string() })
  .openapi("CommitAffectedFiles");
const CommitStats = z
  .object({ total: z.int(), additions: z.int(), deletions: z.int() })
  .openapi("CommitStats");

export const Commit = z
  .object({
    url: z.string(),
    sha: z.string(),
    created: dateTime,
    html_url: z.string(),
    commit: RepoCommit,
    author: User.nullable(),
    committer: User.nullable(),
    parents: z.array(CommitMeta),
    files: z.array(CommitAffectedFiles).nullable(),
    stats: CommitStats.nullable(),
  })
  .openapi("Commit");
export type CommitJson = z.infer<typeof Commit>;

export const PayloadCommit = z
  .object({
    id: z.string(),
    message: z.string(),
    url: z.string(),
    author: PayloadUser,
    committer: PayloadUser,
    verification: PayloadCommitVerification.nullable(),
    timestamp: dateTime,
    added: z.array(z.string()).nullable(),
    removed: z.array(z.string()).nullable(),
    modified: z.array(z.string()).nullable(),
  })
  .openapi("PayloadCommit");
export type PayloadCommitJson = z.infer<typeof PayloadCommit>;

export const Compare = z
  .object({ total_commits: z.int(), commits: z.array(Commit), files: z.array(CommitAffectedFiles) })
  .openapi("Compare");

export const Note = z.object({ message: z.string(), commit: Commit }).openapi("Note");
export const NoteOptions = z.object({ message: z.string().optional() }).openapi("NoteOptions");
