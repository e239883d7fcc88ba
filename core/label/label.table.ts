import { padded } from "../ids.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { ownerPartition, repositoryKey, repositoryPartition } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { check, type Item, type TableKey, type Write } from "../table/write.ts";

/** The parent of a label: a repository, or an organization for all its repositories. */
export interface LabelParent {
  readonly kind: "repository" | "organization";
  readonly id: number;
}

/** A label. Ids are unique in the instance; names need not be. */
export interface Label extends Item {
  readonly id: number;
  readonly parent: LabelParent;
  readonly name: string;
  /** `#` and six hex digits in lower case. */
  readonly color: string;
  readonly description: string;
  /** An issue carries at most one of the exclusive labels of a scope (B-08). */
  readonly isExclusive: boolean;
  readonly isArchived: boolean;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** Sort keys of labels begin with this. */
export const labelPrefix = "LB#";

const partitionOf = ({ kind, id }: LabelParent): string =>
  kind === "repository" ? repositoryPartition(id) : ownerPartition(id);

export const labelKey = (parent: LabelParent, id: number): TableKey => ({
  pk: partitionOf(parent),
  sk: `${labelPrefix}${padded(id)}`,
});
/** All labels of a parent, by id. */
export const labelsOf = (parent: LabelParent) => ({ pk: partitionOf(parent), prefix: labelPrefix });

/**
 * Inside a transaction: holds only while the parent exists and is not being deleted, so that nothing is left behind it.
 */
export const parentIsLive = ({ kind, id }: LabelParent): Write =>
  kind === "repository"
    ? check(repositoryKey(id), equals({ state: "live" }))
    : check(ownerKey(id), equals({ kind: "organization" }));
