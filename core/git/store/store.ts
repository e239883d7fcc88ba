import type { Forge } from "../../forge.ts";
import { equals } from "../../table/condition.ts";
import { update, type Write } from "../../table/write.ts";
import type { ObjectFormat } from "../format/object-format.ts";
import { openPackSet, type PackSet } from "../pack/pack-set.ts";
import type { GitRepository } from "../repository.ts";
import { type Root, type RootChanges, replaceRoot, rootKey } from "./refs/refs.table.ts";
import { type RefSnapshot, readRoot as readRootItem, readSnapshot } from "./refs/snapshot.ts";

/** The stores that the git store works on. */
export type Stores = Pick<Forge, "table" | "blobs" | "clock" | "log">;

/** A repository at the version of its ROOT. Side files that are not in memory are read from S3 with the first use. */
export type OpenRepository = RefSnapshot & GitRepository;

/** The properties of a repository to be: without refs, and not stored yet. */
export interface NewRoot {
  readonly format: ObjectFormat;
  readonly defaultBranch: string;
}

/** The planned ROOT of an empty repository: a push that `creates` it stores it. */
export const plannedRoot = (repositoryId: number, { format, defaultBranch }: NewRoot): Root => ({
  repositoryId,
  v: 0,
  e: 0,
  state: "live",
  objectFormat: format,
  head: `refs/heads/${defaultBranch}`,
  branches: 0,
  tags: 0,
  base: 0,
  segments: [],
  segmentList: "",
  packs: [],
  isWhollyReachable: true,
});

/** The ROOT of an empty repository, for the transaction that creates it. Fails when there is one. */
export const newRoot = (repositoryId: number, planned: NewRoot): Write =>
  replaceRoot(plannedRoot(repositoryId, planned), {});

/** ROOT, read strongly; undefined when the repository has none. */
export const readRoot = (stores: Pick<Stores, "table">, repositoryId: number): Promise<Root | undefined> =>
  readRootItem(stores.table, repositoryId);

/** Bytes of all packs of a repository. */
export const gitBytes = (root: Root): number => root.packs.reduce((sum, pack) => sum + pack.packBytes, 0);

/**
 * Opens a live repository at its newest version: one strong read when the instance knows that version's refs. Undefined
 * when it does not exist or is being deleted.
 */
export async function openRepository(
  stores: Pick<Stores, "table" | "blobs">,
  repositoryId: number,
): Promise<OpenRepository | undefined> {
  const snapshot = await readSnapshot(stores.table, repositoryId);
  if (snapshot === undefined || snapshot.root.state !== "live") return undefined;
  return openSnapshot(stores, snapshot);
}

/** A snapshot with a way to its objects. */
export function openSnapshot(stores: Pick<Stores, "blobs">, snapshot: RefSnapshot): OpenRepository {
  const { root } = snapshot;
  let opening: Promise<PackSet> | undefined;
  return {
    ...snapshot,
    ...{ format: root.objectFormat, head: root.head, isWhollyReachable: root.isWhollyReachable },
    packs() {
      opening ??= openPackSet(stores.blobs, root.objectFormat, root.packs).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
  };
}

/**
 * For a transaction that changes the rules on pushes: pushes that were judged before must look again. Fails when there
 * is no live repository.
 */
export const rejudgePushes = (repositoryId: number): Write =>
  update(rootKey(repositoryId), { add: { e: 1 } }, equals({ state: "live" }));

/** The result of a change of ROOT. `refused`: another write's condition did not hold, by index of the extra writes. */
export type RootOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "gone" }
  | { readonly kind: "refused"; readonly failed: readonly number[] }
  | { readonly kind: "busy" };

/** The changes to ROOT, and the writes beside it. */
export interface BuiltChange {
  readonly changes: RootChanges;
  readonly extraWrites?: readonly Write[];
}

const rootTries = 20;

/**
 * Changes ROOT together with the caller's items, as one transaction; it reads again and repeats while other writers
 * win. `build` sees the ROOT just read; undefined from it means that there is nothing to change.
 */
export async function changeRoot(
  stores: Pick<Stores, "table">,
  repositoryId: number,
  build: (root: Root) => BuiltChange | undefined | Promise<BuiltChange | undefined>,
): Promise<RootOutcome> {
  for (let tries = 0; tries < rootTries; tries++) {
    const root = await readRoot(stores, repositoryId);
    if (root === undefined || root.state !== "live") return { kind: "gone" };
    const built = await build(root);
    if (built === undefined) return { kind: "done" };
    const outcome = await stores.table.transact([
      replaceRoot(root, built.changes),
      ...(built.extraWrites ?? []),
    ]);
    if (outcome.committed) return { kind: "done" };
    if (!outcome.failed.includes(0)) {
      return { kind: "refused", failed: outcome.failed.map((index) => index - 1) };
    }
  }
  return { kind: "busy" };
}
