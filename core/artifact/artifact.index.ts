import { artifactSequenceKey } from "../ids.ts";
import { type EntryKind, type EntryLayout, flagsAt, type Row } from "../list-index/entry-kind.ts";
import { artifactIndexPartition } from "../list-index/list-index.table.ts";
import { deltaWrite, type ListIndex } from "../list-index/list-index.ts";
import { numberedIndex } from "../list-index/numbered-index.ts";
import { checkFormat, fit32, fit48, packFlags } from "../list-index/packing.ts";
import type { Write } from "../table/write.ts";
import { type Artifact, artifactKey } from "./artifact.table.ts";

/** The entry of an artifact in the list index. `name` is kept apart from it, and not read back by `decode`. */
export interface ArtifactEntry {
  readonly state: Artifact["state"];
  readonly runId: number;
  readonly name?: string;
}

/** Filters for artifacts; absent members filter nothing. Nobody sees pending ones. */
export interface ArtifactFilter {
  readonly runId?: number;
  readonly name?: string;
}

/** The list index of a repository's artifacts, by number. Its one order: the newest first. */
export const artifactIndex = (repositoryId: number): ListIndex<ArtifactEntry, ArtifactFilter, "newest"> =>
  numberedIndex({
    name: "artifacts",
    holderId: repositoryId,
    partition: artifactIndexPartition,
    sequenceKey: artifactSequenceKey,
    itemKey: artifactKey,
    kind: artifactKind,
  });

/** The entry of an artifact as it is now, for the transaction that writes it. */
export const artifactDelta = (artifact: Artifact): Write =>
  deltaWrite(artifactIndex(artifact.repositoryId), artifact.number, artifact, artifact.v);

const [entryFormat, textFormat] = [1, 1];
/** A bit of the flags byte, beside `existsFlag`. */
const pendingFlag = 2;
/** Offsets, in bytes: format, flags, version (32 bits), run (48 bits). */
const placeAt = { version: 2, run: 6, end: 12 } as const;

function encode({ state, runId }: ArtifactEntry, version: number): Buffer {
  const bytes = Buffer.alloc(placeAt.end);
  bytes[0] = entryFormat;
  bytes[flagsAt] = packFlags(true, state === "pending");
  bytes.writeUInt32BE(fit32(version), placeAt.version);
  bytes.writeUIntBE(fit48(runId), placeAt.run, 6);
  return bytes;
}

function decode(bytes: Buffer, at: number): ArtifactEntry & { readonly version: number } {
  checkFormat(bytes, at, entryFormat, "an artifact's entry");
  return {
    state: (bytes.readUInt8(at + flagsAt) & pendingFlag) === 0 ? "confirmed" : "pending",
    runId: bytes.readUIntBE(at + placeAt.run, 6),
    version: bytes.readUInt32BE(at + placeAt.version),
  };
}

/** Packs the name: format, length, UTF-8. */
function encodeText({ name = "" }: ArtifactEntry): Buffer {
  const text = Buffer.from(name);
  const head = Buffer.of(textFormat, 0, 0);
  head.writeUInt16BE(text.length, 1);
  return Buffer.concat([head, text]);
}

const noText = Buffer.of(textFormat, 0, 0);

const layout: EntryLayout = {
  span: 1024,
  format: entryFormat,
  length: () => placeAt.end,
  versionAt: placeAt.version,
  text: { length: (bytes, at) => noText.length + bytes.readUInt16BE(at + 1), none: noText },
};

const artifactKind: EntryKind<ArtifactEntry, ArtifactFilter, "newest"> = {
  layout,
  encode,
  decode,
  encodeText,
  matcher,
  ranking: () => ({ key: ({ id }) => id, isDescending: true, ties: "newest", isById: true }),
  needs: ({ name }) => ({ texts: name !== undefined }),
};

function matcher({ runId, name }: ArtifactFilter): (row: Row) => boolean {
  const wanted = name === undefined ? undefined : encodeText({ state: "confirmed", runId: 0, name });
  return ({ bytes, at, text, textAt }) => {
    if ((bytes.readUInt8(at + flagsAt) & pendingFlag) !== 0) return false;
    if (runId !== undefined && bytes.readUIntBE(at + placeAt.run, 6) !== runId) return false;
    if (wanted === undefined) return true;
    return text?.subarray(textAt, textAt + wanted.length).equals(wanted) === true;
  };
}
