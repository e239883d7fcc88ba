import type { Item, TableKey } from "../table.ts";

/** What the duties' runs have left, one item for all: `<name>At`, when one last got through, in milliseconds; `<name>Times`. */
export interface DutyRuns extends Item {
  readonly [field: `${string}At` | `${string}Times`]: number;
}

/** Where it lies. */
export const dutyRunsKey: TableKey = { pk: "DUTIES", sk: "#" };
