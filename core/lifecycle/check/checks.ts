import type { Forge } from "../../forge.ts";
import type { Item } from "../../table/write.ts";
import type { Finding } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";
import type { TableFacts } from "./table-facts.ts";

/** Tells what breaks an invariant, or a part of one. */
export type Check<Facts> = (forge: Forge, facts: Facts) => Finding[] | Promise<Finding[]>;

/** The invariants of a noun, for `check-data`. */
export interface Checks {
  /** The kinds of items, of any noun, that its checks ask the facts for. */
  readonly reads?: readonly string[];
  /** What is kept of the noun's own items until the checks are through, where that is less than all of it. */
  readonly keeps?: Readonly<Record<string, (item: Item) => Item>>;
  /** What holds across repositories. */
  readonly table?: readonly Check<TableFacts>[];
  /** The same, while the service runs alone. */
  readonly served?: readonly Check<TableFacts>[];
  /** What holds of each repository. */
  readonly repository?: readonly Check<RepositoryFacts>[];
  /** What holds of a repository while it is not being deleted. */
  readonly live?: readonly Check<RepositoryFacts>[];
}

/** Items that were read, by their kinds. */
export interface KeptItems {
  /** Those of a kind, in order of their keys within a partition. Throws TypeError for a kind that no check reads. */
  all<T extends Item>(at: string): readonly T[];
}
