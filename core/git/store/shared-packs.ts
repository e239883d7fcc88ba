import { equals } from "../../table/condition.ts";
import { check, type Item, put, type Write } from "../../table/write.ts";
import type { Table } from "../../table.ts";
import type { ManifestPack } from "./pack-manifest.ts";
import { readRootItem, rootKey } from "./refs/refs.table.ts";
import { readRoot } from "./refs/snapshot.ts";
import {
  type Borrower,
  borrowerKey,
  borrowersOf,
  type Lender,
  lenderKey,
  lendersOf,
} from "./shared-packs.table.ts";

/*
 * Who may hand out which packs. A pack lies under the prefix of the repository that it came to, its lender; a fork's
 * manifest names packs of its lenders instead of copying them. A pack may be removed once no live ROOT names it:
 * neither the lender's nor that of a repository with a row at the lender. Rows are written before the manifest that
 * needs them, and stay when it stops naming packs: they only tell where to look.
 */

/** The lenders of these packs: repositories whose prefix they lie under, other than the repository itself. */
export const lendersIn = (repositoryId: number, packs: readonly ManifestPack[]): number[] => [
  ...new Set(packs.map((pack) => pack.repositoryId).filter((id) => id !== repositoryId)),
];

/**
 * Allows a repository to name packs of these lenders: two plain writes for each, before the manifest is written. That
 * write must carry a condition on the ROOT that the packs were read from: as long as it stands, it names them.
 */
export const borrowWrites = (borrowerId: number, lenderIds: readonly number[]): Write[] =>
  lenderIds.flatMap((lenderId) => {
    const lender: Lender = { ...lenderKey(borrowerId, lenderId), lenderId, _v: 1 };
    const borrower: Borrower = { ...borrowerKey(lenderId, borrowerId), borrowerId, _v: 1 };
    return [put(lender), put(borrower)];
  });

/** Packs that a repository may name from now on, in a transaction that makes this check. */
export interface Loan {
  readonly packs: readonly ManifestPack[];
  readonly check: Write;
}

/** All packs of another repository, lent to this one; undefined when the other is gone. */
export async function takeLoan(
  table: Table,
  borrowerId: number,
  lenderId: number,
): Promise<Loan | undefined> {
  const lender = await readRoot(table, lenderId);
  if (lender === undefined || lender.state !== "live") return undefined;
  for (const write of borrowWrites(borrowerId, lendersIn(borrowerId, lender.packs))) await table.write(write);
  return { packs: lender.packs, check: check(rootKey(lenderId), equals({ e: lender.e })) };
}

/** The repositories that this one has borrowed packs from. */
export async function findLenders(table: Table, borrowerId: number): Promise<number[]> {
  const rows = await table.queryAll<Lender>(lendersOf(borrowerId));
  return rows.map(({ lenderId }) => lenderId);
}

/** Removes a repository that is being deleted from a lender's list. The row at the borrower goes with its partition. */
export const returnPacks = (table: Table, borrowerId: number, lenderId: number): Promise<void> =>
  table.removeAll([borrowerKey(lenderId, borrowerId)]);

/**
 * Ids of the packs under a repository's prefix that some live ROOT names: its own, or a borrower's. It costs one
 * request and at least one read unit for each borrower, twice: ROOTs are not read in one instant, and a fork that came
 * between takes from one that had the pack when it was asked first. A pack that no ROOT names now can be named by
 * nobody later.
 */
export async function namedPacks(table: Table, lenderId: number): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const _pass of ["those that are there", "those that came meanwhile"]) {
    const rows = await table.queryAll<Borrower>(borrowersOf(lenderId));
    const ids = [lenderId, ...rows.map(({ borrowerId }) => borrowerId)];
    const found = await table.getAll(ids.map(rootKey));
    for (const item of found.values()) {
      const { state, packs } = readRootItem(repositoryIdOf(item), item);
      if (state !== "live") continue;
      for (const pack of packs) if (pack.repositoryId === lenderId) named.add(pack.id);
    }
  }
  return named;
}

const repositoryIdOf = ({ pk }: Item): number => Number(pk.split("#")[1]);
