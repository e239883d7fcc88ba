import { padded } from "../../ids.ts";
import type { Item, TableKey } from "../../table/write.ts";
import { gitPartition } from "./refs/refs.table.ts";

/** At a lender: a repository that may name packs of it. */
export interface Borrower extends Item {
  readonly borrowerId: number;
  readonly _v: 1;
}

/** At a borrower: a repository whose packs it may name. */
export interface Lender extends Item {
  readonly lenderId: number;
  readonly _v: 1;
}

const poolOf = (lenderId: number): string => `POOL#${lenderId}`;

/** The borrowers of a lender, by id. */
export const borrowersOf = (lenderId: number) => ({ pk: poolOf(lenderId), prefix: "R#" });
export const borrowerKey = (lenderId: number, borrowerId: number): TableKey => ({
  pk: poolOf(lenderId),
  sk: `R#${padded(borrowerId)}`,
});

/** The lenders of a borrower, by id. */
export const lendersOf = (borrowerId: number) => ({ pk: gitPartition(borrowerId), prefix: "LENDER#" });
export const lenderKey = (borrowerId: number, lenderId: number): TableKey => ({
  pk: gitPartition(borrowerId),
  sk: `LENDER#${padded(lenderId)}`,
});
