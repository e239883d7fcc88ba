import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, type Repair, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import { type Block, type BlockMirror, blockKey, blockMirrorKey } from "./block.table.ts";

const blockKind = "O#<owner> / BLOCK#<user>";
const mirrorKind = "U#<user> / BLOCKEDBY#<owner>";

const finding = (mirror: BlockMirror, problem: string, remedy: string, repair: Repair): Finding => ({
  invariant: 23,
  key: shownKey(mirror),
  problem,
  remedy,
  repair,
});

const idIn = (pk: string): number => Number(pk.split("#")[1]);

/** Invariant 23: a block and its mirror at the blocked user say the same. */
function checkBlocks(facts: TableFacts): Finding[] {
  const blocks = facts.all<Block>(blockKind);
  const blockMirrors = facts.all<BlockMirror>(mirrorKind);
  const mirrors = new Set(blockMirrors.map(keyText));
  const primary = new Set(blocks.map(keyText));
  const missing = blocks.flatMap((block): Finding[] => {
    const ownerId = idIn(block.pk);
    const mirror: BlockMirror = { ...blockMirrorKey(block.userId, ownerId), ownerId, _v: 1 };
    if (mirrors.has(keyText(mirror))) return [];
    const mended = mending([check(block, exists)], put(mirror, absent));
    return [finding(mirror, "is missing; the owner blocks the user", "writes it", mended)];
  });
  const astray = blockMirrors.flatMap((mirror): Finding[] => {
    const key = blockKey(mirror.ownerId, idIn(mirror.pk));
    if (primary.has(keyText(key))) return [];
    const mended = mending([check(key, absent)], remove(mirror, exists));
    return [finding(mirror, "tells of a block that is not there", "removes it", mended)];
  });
  return [...missing, ...astray];
}

export const blockChecks: Checks = {
  reads: [blockKind, mirrorKind],
  table: [(_, facts) => checkBlocks(facts)],
};
