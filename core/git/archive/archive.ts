import { createGzip } from "node:zlib";
import { badRequest } from "../../errors.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { History } from "../history/history.ts";
import type { GitRefs } from "../repository.ts";
import { type FormatContext, formattedCommit } from "./commit-format.ts";
import { asCheckedOut } from "./line-endings.ts";
import { pipeThrough } from "./pipe-through.ts";
import { substituteFormats } from "./substitute.ts";
import { type ArchiveHead, tarOf } from "./tar.ts";
import { treeEntries } from "./tree-entries.ts";
import { type ArchiveLimits, defaultArchiveLimits, measureTree } from "./tree-extent.ts";

/** Forms of an archive of files. */
export type ArchiveFormat = "zip" | "tar" | "tar.gz";

/** What is archived: a tree, and its commit if it is one's. */
export interface Treeish {
  readonly tree: ObjectId;
  readonly commit?: ObjectId;
}

export interface ArchiveRequest {
  readonly format: ArchiveFormat;
  /** Text before every path, mostly a folder such as `project/`. */
  readonly prefix?: string;
  /** Refs that `$Format:%d$` may tell. */
  readonly refs?: GitRefs;
  readonly limits?: ArchiveLimits;
}

/** The date for a bare tree, which has none: the earliest that a zip can hold. */
const earliestSeconds = 315_532_800;
const longestPrefix = 1_024;

/**
 * The archive that `git archive` writes of a tree, in pieces; a tar is the same byte for byte. The tree's own
 * attributes count (`export-ignore`, `export-subst`, `text`, `eol`, `ident`). The same request gives the same bytes,
 * except for `%d`, which names refs. Throws TooLarge before the first piece, and Unavailable when the History's time is
 * up.
 */
export async function* writeArchive(
  history: History,
  { tree, commit }: Treeish,
  request: ArchiveRequest,
): AsyncGenerator<Uint8Array> {
  const { format, prefix = "", refs, limits = defaultArchiveLimits } = request;
  checkPrefix(prefix);
  await measureTree(history, tree, limits);
  const context = commit === undefined ? undefined : await contextOf(history, commit, refs);
  const entries = treeEntries(history, {
    ...{ tree, limits },
    prefix: Buffer.from(prefix).toString("latin1"),
    async convert(content, attributes, id) {
      const pace = (steps: number) => history.pace(steps);
      const written = await asCheckedOut(content, attributes, id, pace);
      const isFilled = context !== undefined && attributes.get("export-subst") === true;
      return isFilled ? substituteFormats(written, context, pace) : written;
    },
  });
  const seconds = context?.target.committer.seconds ?? earliestSeconds;
  const head: ArchiveHead = { comment: commit, seconds: Math.max(0, seconds) };
  if (format === "zip")
    yield* (await import("./zip.ts")).zipOf(entries, head); // loaded with the first
  else if (format === "tar") yield* tarOf(entries, head);
  else yield* pipeThrough(tarOf(entries, head), createGzip());
}

async function contextOf(
  history: History,
  commit: ObjectId,
  refs: GitRefs | undefined,
): Promise<FormatContext> {
  const { type, data } = await history.object(commit);
  if (type !== "commit") throw new Error(`object ${commit} is a ${type}, not a commit`);
  return { history, target: formattedCommit(commit, data), refs };
}

/** A prefix comes from a name or a user: it must not lead out of the folder that people unpack in. */
function checkPrefix(prefix: string): void {
  const isSafe =
    prefix.length <= longestPrefix &&
    !prefix.startsWith("/") &&
    !prefix.includes("\0") &&
    !prefix.split("/").includes("..");
  if (!isSafe)
    throw badRequest("an archive's prefix is a relative path without .. of at most 1,024 characters");
}
