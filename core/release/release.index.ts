import { releaseSequenceKey } from "../ids.ts";
import { type EntryKind, type EntryLayout, flagsAt, type Row } from "../list-index/entry-kind.ts";
import { releaseIndexPartition } from "../list-index/list-index.table.ts";
import { deltaWrite, type ListIndex } from "../list-index/list-index.ts";
import { numberedIndex } from "../list-index/numbered-index.ts";
import { FlagTest, occursIn } from "../list-index/packing.ts";
import type { Write } from "../table/write.ts";
import { type Release, releaseKey } from "./release.table.ts";
import {
  decodeRelease,
  encodeRelease,
  encodeReleaseText,
  noReleaseText,
  type ReleaseEntry,
  releaseAt,
  releaseFlags,
  releaseFormat,
  wordsIn,
} from "./release-entry.ts";

/** Filters for releases; absent members filter nothing. */
export interface ReleaseFilter {
  readonly isDraft?: boolean;
  readonly isPrerelease?: boolean;
  /** A part of the tag or the title, in lower case. */
  readonly words?: string;
}

/** The list index of a repository's releases, by number. Its one order: the newest first. */
export const releaseIndex = (repositoryId: number): ListIndex<ReleaseEntry, ReleaseFilter, "newest"> =>
  numberedIndex({
    name: "releases",
    holderId: repositoryId,
    partition: releaseIndexPartition,
    sequenceKey: releaseSequenceKey,
    itemKey: releaseKey,
    kind: releaseKind,
  });

/** The entry of a release as it is now, for the transaction that writes it. */
export const releaseDelta = (release: Release): Write =>
  deltaWrite(releaseIndex(release.repositoryId), release.number, release, release.v);

const layout: EntryLayout = {
  span: 1024,
  format: releaseFormat,
  length: () => releaseAt.end,
  versionAt: releaseAt.version,
  text: {
    length: (bytes, at) => wordsIn(bytes, at).end - at,
    none: noReleaseText,
  },
};

const releaseKind: EntryKind<ReleaseEntry, ReleaseFilter, "newest"> = {
  layout,
  encode: encodeRelease,
  decode: decodeRelease,
  encodeText: encodeReleaseText,
  matcher,
  ranking: () => ({
    key: ({ bytes, at }) => bytes.readUInt32BE(at + releaseAt.created),
    isDescending: true,
    ties: "newest",
  }),
  keptOrder: (sort) => sort,
  needs: ({ words = "" }) => ({ texts: words !== "" }),
};

function matcher({ isDraft, isPrerelease, words = "" }: ReleaseFilter): (row: Row) => boolean {
  const flags = new FlagTest()
    .require(releaseFlags.draft, isDraft)
    .require(releaseFlags.prerelease, isPrerelease);
  const needle = Buffer.from(words);
  return ({ bytes, at, text, textAt }) => {
    if (!flags.holds(bytes.readUInt8(at + flagsAt))) return false;
    if (words === "") return true;
    const { start, end } = wordsIn(text ?? noReleaseText, text === undefined ? 0 : textAt);
    return text !== undefined && occursIn(text, start, end, needle);
  };
}
