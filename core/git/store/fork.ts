import { attempts } from "../../concurrency/attempts.ts";
import { equals } from "../../table/condition.ts";
import { check, type Write } from "../../table/write.ts";
import { branchPrefix, tagPrefix } from "../refs/ref-name.ts";
import { RefTable } from "../refs/ref-table.ts";
import { planSegments, writeNew } from "./refs/compaction.ts";
import { type Root, replaceRoot, rootKey } from "./refs/refs.table.ts";
import { type RefSnapshot, readSnapshot, remember } from "./refs/snapshot.ts";
import { borrowWrites, lendersIn } from "./shared-packs.ts";
import { plannedRoot, type RootOutcome, type Stores } from "./store.ts";

const mostAttempts = 10;

/**
 * Gives a new repository the branches and tags of another. Its ROOT names the same packs; no pack is copied. One
 * transaction writes ROOT and `extraWrites`, and holds only while the source's ROOT is the one that was copied. Rows and
 * segments come before it, and nobody reads them yet; the caller removes them again when the fork never comes to be.
 */
export async function forkGit(
  { table }: Pick<Stores, "table">,
  sourceId: number,
  forkId: number,
  extraWrites: (fork: Root) => readonly Write[] | Promise<readonly Write[]>,
): Promise<RootOutcome> {
  const borrowedFrom = new Set<number>();
  for await (const _attempt of attempts(mostAttempts)) {
    const source = await readSnapshot(table, sourceId);
    if (source === undefined || source.root.state !== "live") return { kind: "gone" };
    const lenders = lendersIn(forkId, source.root.packs).filter((id) => !borrowedFrom.has(id));
    for (const write of borrowWrites(forkId, lenders)) await table.write(write);
    for (const id of lenders) borrowedFrom.add(id);
    const { root, refs } = forkOf(source, forkId);
    const plan = planSegments(root, { oldIds: [], old: [] }, refs.entries.map(asUpdate));
    await writeNew(table, plan.items);
    const { segments, segmentList } = plan;
    const fork = { ...root, segments, segmentList };
    const outcome = await table.transact([
      replaceRoot({ ...fork, e: 0 }, {}),
      check(rootKey(sourceId), equals({ e: source.root.e })),
      ...(await extraWrites(fork)),
    ]);
    if (outcome.committed) {
      remember(table, fork, refs);
      return { kind: "done" };
    }
    await table.removeAll(plan.items.map(({ pk, sk }) => ({ pk, sk }))); // each attempt writes its own
    const failed = outcome.failed.filter((index) => index > 1).map((index) => index - 2);
    if (failed.length > 0) return { kind: "refused", failed };
  }
  return { kind: "busy" };
}

const asUpdate = (entry: RefTable["entries"][number]) => ({ name: entry.name, entry });

/** The refs that a fork takes over: all that the source shows to its readers, without its pull requests'. */
function forkOf(source: RefSnapshot, forkId: number): RefSnapshot {
  const kept = source.refs.entries.filter(
    ({ name }) => name.startsWith(branchPrefix) || name.startsWith(tagPrefix),
  );
  const { objectFormat, head, branches, tags, packs, isWhollyReachable } = source.root;
  const v = kept.length > 0 ? 1 : 0;
  return {
    refs: new RefTable(kept),
    root: {
      ...plannedRoot(forkId, { format: objectFormat, defaultBranch: head.slice(branchPrefix.length) }),
      ...{ v, e: 1, base: v, branches, tags },
      packs: kept.length > 0 ? packs : [],
      isWhollyReachable:
        kept.length === 0 || (isWhollyReachable && kept.length === source.refs.entries.length),
    },
  };
}
