import type { ObjectId } from "../../git/format/object-format.ts";
import type { MergeStyle } from "../../git/merge/merge-styles.ts";

/** How a request may be merged; `manually-merged`: it was, and is only to be noted. */
export const pullMergeStyles = [
  "merge",
  "rebase",
  "rebase-merge",
  "squash",
  "fast-forward-only",
  "manually-merged",
] as const satisfies readonly (MergeStyle | "manually-merged")[];
export type PullMergeStyle = (typeof pullMergeStyles)[number];

/** A wanted merge of a request (semantics §22.1). */
export interface WantedMerge {
  readonly style: PullMergeStyle;
  /** Of the commit; absent or blank: the template's, or the usual one. */
  readonly title?: string;
  readonly message?: string;
  /** The commit that merged it by hand. */
  readonly commitId?: string;
  /** The head that the caller has seen. */
  readonly headId?: ObjectId;
  /** Skips what the rule of the base demands, for administrators. */
  readonly isForced?: boolean;
  readonly deletesBranch?: boolean;
}

/** One that writes to the base. */
export type StyledMerge = WantedMerge & { readonly style: MergeStyle };

/** How a base's commits come into a head: by a merge, or below the head's own commits. */
export const updateStyles = ["merge", "rebase"] as const;
export type UpdateStyle = (typeof updateStyles)[number];
