import { padded } from "../ids.ts";
import { issuePartition } from "../issue/issue.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { TextPlace } from "../word-index/word-index.table.ts";

/** An edit of a text of an issue or comment: its editor, and the text before it. */
export interface TextEdit extends Item {
  /** Which edit of the text it is, counted from 1. */
  readonly number: number;
  readonly userId: number;
  /** The time that counts for it (B-01), in whole seconds. */
  readonly at: number;
  readonly former: string;
  readonly _v: 1;
}

/** How many of the newest edits of a text are kept, beside its first. */
const mostNewest = 20;

/** Sort keys of edits begin with this. */
export const editPrefix = "H#";

/** The edits of a text that are kept, in no order. */
export const editsOf = ({ repositoryId, number, commentId }: TextPlace) => ({
  pk: issuePartition(repositoryId, number),
  prefix: `${editPrefix}${padded(commentId)}#`,
});

/** The place of an edit. It replaces the edit that is not kept any more. */
export function editKey(place: TextPlace, edit: number): TableKey {
  const { pk, prefix } = editsOf(place);
  const slot = edit === 1 ? 0 : 1 + (edit % mostNewest);
  return { pk, sk: `${prefix}${String(slot).padStart(2, "0")}` };
}

/** The edits kept of a text that had this many, newest first. */
export function keptEdits(edits: number): number[] {
  const newest = Array.from({ length: Math.min(edits, mostNewest) }, (_, place) => edits - place);
  return edits > mostNewest ? [...newest, 1] : newest;
}
