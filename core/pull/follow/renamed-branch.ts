import type { Forge } from "../../forge.ts";
import { type Item, put, remove, type TableKey, type Write } from "../../table/write.ts";
import { branchDigest } from "../branch-digest.ts";
import { pullsPartition } from "../pull.table.ts";
import type { NewBranchName } from "./branch-move.ts";

/** The name that a branch got, for requests that hear of several new names in another order. */
interface RenamedBranch extends Item {
  readonly to: string;
  readonly _v: 1;
}

const renamedKey = (repositoryId: number, branch: string): TableKey => ({
  pk: pullsPartition(repositoryId),
  sk: `RENAMED#${branchDigest(branch)}`,
});

/** Whether an item among the rows about pull requests is about a branch alone. */
export const isRenamedBranch = ({ sk }: Item): boolean => sk.startsWith("RENAMED#");

/** A branch's new name, for the transaction that gives it: from now on the name stands for this branch alone. */
export function renamedBranchWrites(repositoryId: number, { from, to }: NewBranchName): Write[] {
  const row: RenamedBranch = { ...renamedKey(repositoryId, from), to, _v: 1 };
  return [put(row), remove(renamedKey(repositoryId, to))];
}

/** More new names in a row are not followed. */
const mostNames = 10;

/** The present name of what was a branch of this name: the name itself while there is one, or when nobody knows more. */
export async function findPresentName(
  { table }: Forge,
  repositoryId: number,
  name: string,
  isThere: (branch: string) => Promise<boolean>,
): Promise<string> {
  let present = name;
  for (let steps = 0; steps < mostNames && !(await isThere(present)); steps += 1) {
    const row = await table.get<RenamedBranch>(renamedKey(repositoryId, present));
    if (row === undefined) break;
    present = row.to;
  }
  return present;
}
