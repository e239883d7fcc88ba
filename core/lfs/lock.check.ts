import type { Forge } from "../forge.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import {
  type LfsLock,
  type LfsLockGuard,
  lfsLockGuardKey,
  lfsLocksOf,
  lfsLocksPartition,
} from "./lfs.table.ts";

/** Invariant 42: a lock has the guard of its path, and no guard is without a lock. */
export async function lockChecks({ table }: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id } = repository;
  const items = await table.queryAll<LfsLock | LfsLockGuard>({ pk: lfsLocksPartition(id) });
  const isLock = ({ sk }: LfsLock | LfsLockGuard) => sk.startsWith(lfsLocksOf(id).prefix);
  const locks = items.filter(isLock) as LfsLock[];
  const guards = new Map(
    items.filter((item) => !isLock(item)).map((guard) => [keyText(guard), guard as LfsLockGuard]),
  );
  const wanted = new Map(locks.map((lock) => [keyText(lfsLockGuardKey(id, lock.path)), lock]));
  const open = [...wanted].filter(([key, lock]) => guards.get(key)?.id !== lock.id);
  const stray = [...guards].filter(([key]) => !wanted.has(key));
  return [
    ...open.map(([key, lock]) => {
      const guard: LfsLockGuard = { ...lfsLockGuardKey(id, lock.path), id: lock.id, _v: 1 };
      return {
        invariant: 42,
        key: shownKey(lock),
        problem: "its path has no guard that leads to it",
        remedy: "writes it",
        repair: mending([check(lock, asRead(lock))], put(guard, asRead(guards.get(key)))),
      };
    }),
    ...stray.map(([, guard]) => ({
      invariant: 42,
      key: shownKey(guard),
      problem: `leads to lock ${guard.id}, which is not there or has another path`,
      remedy: "removes the guard",
      repair: mending([], remove(guard, asRead(guard))),
    })),
  ];
}
