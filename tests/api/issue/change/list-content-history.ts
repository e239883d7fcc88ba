import type { Written } from "#core/content-history/content-history";
import { editKey, keptEdits, type TextEdit } from "#core/content-history/content-history.table";
import type { Forge } from "#core/forge";
import { type PageRequest, rowsOfPage } from "#core/page";
import { keyText } from "#core/table/write";
import type { TextPlace } from "#core/word-index/word-index.table";

/** A text at a time. */
interface TextVersion {
  /** The number of edits before it; 0: the text as it was created. */
  readonly number: number;
  readonly authorId: number;
  /** Whole seconds. */
  readonly writtenAt: number;
  readonly body: string;
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
