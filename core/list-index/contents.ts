import type { Forge } from "../forge.ts";
import { readState } from "./internal/delta.ts";
import type { SegmentSummary } from "./manifest.ts";
import { rangesOf, walk } from "./range.ts";
import { loadSegments } from "./segments.ts";
import type { ListIndexPlace } from "./view.ts";

/** A packed entry, the newer of its segment's and the delta's. */
export interface PackedEntry {
  readonly bytes: Buffer;
  readonly text?: Buffer;
  readonly version: number;
}

/** A whole list index, for checks and operators. */
export interface ListIndexContents {
  readonly generation: number;
  /** The manifest's item can't be read. */
  readonly isManifestDamaged: boolean;
  /** The segments of the manifest, each with its problem if it has one; the entries of broken ones are missing. */
  readonly segments: readonly { readonly summary: SegmentSummary; readonly problem?: string }[];
  /** The things that exist, by id. */
  readonly entries: ReadonlyMap<number, PackedEntry>;
  readonly deltaLength: number;
}

const mostReadings = 3;

/** Reads a whole list index and mends nothing. A segment counts as missing when a second reading agrees. */
export async function readContents(forge: Forge, index: ListIndexPlace): Promise<ListIndexContents> {
  let contents = await readOnce(forge, index);
  for (let reading = 1; reading < mostReadings; reading += 1) {
    if (!contents.segments.some(({ problem }) => problem !== undefined)) break;
    const again = await readOnce(forge, index);
    const isSame = again.generation === contents.generation;
    contents = again;
    if (isSame) break;
  }
  return contents;
}

async function readOnce(forge: Forge, index: ListIndexPlace): Promise<ListIndexContents> {
  const { layout } = index;
  const { delta, manifest } = await readState(forge, index);
  const withTexts = layout.text !== undefined;
  const { columns, broken } = await loadSegments(forge, index, manifest.segments, { withTexts });
  const entries = new Map<number, PackedEntry>();
  for (const range of rangesOf(layout, manifest.segments, delta)) {
    const { segment } = range;
    walk(layout, range, segment && columns.get(segment), (row) => {
      const bytes = row.bytes.subarray(row.at, row.at + layout.length(row.bytes, row.at));
      const { text, textAt } = row;
      const packedText =
        text === undefined || layout.text === undefined
          ? {}
          : { text: text.subarray(textAt, textAt + layout.text.length(text, textAt)) };
      entries.set(row.id, { bytes, ...packedText, version: bytes.readUInt32BE(layout.versionAt) });
    });
  }
  return {
    generation: manifest.generation,
    isManifestDamaged: manifest.isDamaged === true,
    segments: manifest.segments.map((summary) => {
      const problem = broken.get(summary);
      return problem === undefined ? { summary } : { summary, problem };
    }),
    entries,
    deltaLength: delta.length,
  };
}
