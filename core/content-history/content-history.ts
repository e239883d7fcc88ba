import { put, type Write } from "../table/write.ts";
import type { TextPlace } from "../word-index/word-index.table.ts";
import { editKey, type TextEdit } from "./content-history.table.ts";

/** An issue or comment with the text that it has now. */
export interface Written {
  readonly body: string;
  readonly authorId: number;
  readonly createdAt: number;
  /** How often its text was edited; absent: never. */
  readonly edits?: number;
}

/**
 * For the transaction that edits a text, on the condition that its holder is as it was read: `writes` keep the former
 * text, and who replaced it when (semantics §4.3); `counted` goes into the holder. Nothing when the text stays the
 * same.
 */
export function keepFormerContent(
  place: TextPlace,
  { body: former, edits = 0 }: Written,
  body: string,
  made: Pick<TextEdit, "userId" | "at">,
): { readonly counted: { readonly edits?: number }; readonly writes: readonly Write[] } {
  if (body === former) return { counted: {}, writes: [] };
  const number = edits + 1;
  const edit: TextEdit = { ...editKey(place, number), number, ...made, former, _v: 1 };
  return { counted: { edits: number }, writes: [put(edit)] };
}
