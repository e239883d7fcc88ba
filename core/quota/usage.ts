import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { cardKey, type Repository, repositoryKey } from "../repository/repository.table.ts";
import { exists } from "../table/condition.ts";
import { keyText, put, remove, type TableKey, update, type Write } from "../table/write.ts";
import { type SizedList, type SizedThing, sizedThingKey, usageKey } from "./quota.table.ts";
import type { UsageName } from "./subject.ts";

/** What holds the counted bytes: a repository of the owner, or a package that is linked to none. */
export type UsageHolder =
  | { readonly ownerId: number; readonly repositoryId: number }
  | { readonly ownerId: number; readonly packageId: number };

/** A holder has so many bytes more of something, or fewer when they are below 0. */
export type UsageChange = UsageHolder & {
  readonly name: UsageName;
  readonly bytes: number;
  /** How many attachments or artifacts come (1) or go (−1) with the bytes: the totals of their lists. */
  readonly things?: number;
};

/** Where the card of a repository counts the bytes of each, and the things that are listed. */
export const onCard: Readonly<Record<UsageName, { readonly bytes: CardCount; readonly things?: CardCount }>> =
  {
    publicRepositories: { bytes: "gitBytes" },
    privateRepositories: { bytes: "gitBytes" },
    lfs: { bytes: "lfsBytes" },
    issueAttachments: { bytes: "issueAttachmentBytes", things: "issueAttachments" },
    releaseAttachments: { bytes: "releaseAttachmentBytes", things: "releaseAttachments" },
    artifacts: { bytes: "artifactBytes", things: "artifacts" },
    packages: { bytes: "packageBytes" },
  };
type CardCount =
  | "gitBytes"
  | "lfsBytes"
  | "issueAttachments"
  | "issueAttachmentBytes"
  | "releaseAttachments"
  | "releaseAttachmentBytes"
  | "artifacts"
  | "artifactBytes"
  | "packageBytes";

/**
 * The writes by which owners use more or less (QM-1, QM-2), for the transaction of the thing itself. A repository's card
 * counts what it holds, and moves with it to another owner; the owner's totals count the same. Name everything that the
 * transaction changes in one call: an item may stand in it only once.
 *
 *     const holder = await usageHolderOf(forge, repositoryId);
 *     const { committed } = await forge.table.transact([
 *       put(object, absent),
 *       ...usageWrites([{ ...holder, name: "lfs", bytes: sizeBytes }]),
 *     ]);
 *
 * The condition on the card fails once the repository has another owner, or is gone: begin again with `usageHolderOf`.
 * The condition on the thing itself (`absent`, `exists`) keeps a repeated request from counting twice. A transfer, a
 * deletion or a change of visibility moves what the card counts; nouns have nothing to do for it.
 *
 * A thing that is listed by size has a row: its transaction writes the row and `things: 1`, or removes it with `things: -1`:
 *
 *     ...usageWrites([{ ...holder, name: "artifacts", bytes: sizeBytes, things: 1 }]),
 *     sizedThingWrite(repositoryId, "artifacts", { id, sizeBytes }),
 *
 * A package that is linked to a repository counts there (`{ ownerId: the repository's, repositoryId }`), any other at
 * its owner (`{ ownerId, packageId }`). To link it is one call with both changes.
 */
export function usageWrites(changes: readonly UsageChange[]): Write[] {
  const cards = new Sums();
  const totals = new Sums();
  for (const change of changes) {
    const { ownerId, name, bytes, things = 0 } = change;
    const { bytes: bytesOnCard, things: thingsOnCard } = onCard[name];
    if ("repositoryId" in change) {
      const counted = { [bytesOnCard]: bytes, ...(thingsOnCard && { [thingsOnCard]: things }) };
      cards.add(cardKey(ownerId, change.repositoryId), counted);
    }
    const holderId = "repositoryId" in change ? change.repositoryId : change.packageId;
    totals.add(usageKey(ownerId, holderId), { [name]: bytes });
  }
  return [
    ...cards.all().map(([key, add]) => update(key, { add: { ...add, v: 1 } }, exists)),
    ...totals.all().map(([key, add]) => totalsWrite(key, add)),
  ];
}

/** Adds to a part of an owner's totals. */
export const totalsWrite = (key: TableKey, add: Sum): Write =>
  update(key, { add: { ...add, changes: 1 }, setOnce: { _v: 1 } });

type Sum = Readonly<Record<string, number>>;

/** Collects what a transaction adds to each item. */
class Sums {
  readonly #byKey = new Map<string, readonly [TableKey, Sum]>();

  add(key: TableKey, by: Sum): void {
    const before: Sum = this.#byKey.get(keyText(key))?.[1] ?? {};
    const names = Object.keys(by).map((name) => [name, (before[name] ?? 0) + (by[name] ?? 0)]);
    this.#byKey.set(keyText(key), [key, { ...before, ...Object.fromEntries(names) }]);
  }

  all(): (readonly [TableKey, Sum])[] {
    return [...this.#byKey.values()];
  }
}

/** The repository with its present owner, as `usageWrites` takes them. NotFound once it is being deleted. */
export async function usageHolderOf(
  { table }: Pick<Forge, "table">,
  repositoryId: number,
): Promise<{ readonly ownerId: number; readonly repositoryId: number }> {
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") throw notFound("the repository was deleted meanwhile");
  return { ownerId: repository.ownerId, repositoryId };
}

/** Lists a thing by its size, for the transaction that counts it. */
export function sizedThingWrite(
  repositoryId: number,
  list: SizedList,
  { id, sizeBytes }: { readonly id: number; readonly sizeBytes: number },
): Write {
  const row: SizedThing = {
    ...sizedThingKey(repositoryId, list, { id, sizeBytes }),
    ...{ id, sizeBytes, _v: 1 },
  };
  return put(row);
}

/** Ends the listing of a thing, for the transaction that stops counting it. */
export const sizedThingRemoval = (
  repositoryId: number,
  list: SizedList,
  thing: { readonly id: number; readonly sizeBytes: number },
): Write => remove(sizedThingKey(repositoryId, list, thing));
