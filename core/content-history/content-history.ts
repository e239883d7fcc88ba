import type { Forge } from "../forge.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { keyText, put, type Write } from "../table/write.ts";
import type { TextPlace } from "../word-index/word-index.table.ts";
import { editKey, keptEdits, type TextEdit } from "./content-history.table.ts";

/** An issue or comment with the text that it has now. */
interface Written {
  readonly body: string;
  readonly authorId: number;
  readonly createdAt: number;
  /** How often its text was edited; absent: never. */
  readonly edits?: number;
}

/** A text at a time. */
export interface TextVersion {
  /** The number of edits before it; 0: the text as it was created. */
  readonly number: number;
  readonly authorId: number;
  /** Whole seconds. */
  readonly writtenAt: number;
  readonly body: string;
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

/**
 * The versions of a text, newest first, including the present one and the original. The caller has read the holder of
 * the text, and may see it. Versions that an edit replaces meanwhile are left out.
 */
export async function listContentHistory(
  { table }: Forge,
  place: TextPlace,
  written: Written,
  page: PageRequest,
): Promise<{ readonly items: readonly TextVersion[]; readonly total: number }> {
  const { edits = 0, authorId, createdAt } = written;
  const versions = versionsTold(edits);
  const asked = rowsOfPage(versions, page);
  // The text that an edit made is kept by the next edit.
  const numbers = asked.flatMap((version) => [version, version + 1]).filter((n) => n >= 1 && n <= edits);
  const rows = await table.getAll<TextEdit>(numbers.map((number) => editKey(place, number)));
  const editOf = (number: number): TextEdit | undefined => {
    const row = rows.get(keyText(editKey(place, number)));
    return row?.number === number ? row : undefined;
  };
  const items = asked.flatMap((number): TextVersion[] => {
    const made = editOf(number);
    const body = number === edits ? written.body : editOf(number + 1)?.former;
    if (body === undefined || (number > 0 && made === undefined)) return [];
    return [{ number, authorId: made?.userId ?? authorId, writtenAt: made?.at ?? createdAt, body }];
  });
  return { items, total: versions.length };
}

/** The versions of a text whose edit and text are both kept, newest first. */
function versionsTold(edits: number): number[] {
  const kept = new Set(keptEdits(edits));
  const isTold = (version: number) =>
    (version === 0 || kept.has(version)) && (version === edits || kept.has(version + 1));
  return [...kept, 0].filter(isTold);
}
