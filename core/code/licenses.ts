import type { Forge } from "../forge.ts";
import { directoryMode, gitlinkMode, symlinkMode } from "../git/format/tree.ts";
import { identifyLicense } from "../template/identify-license-task.ts";
import { findContentsAt } from "./contents.ts";
import { type ListedEntry, listTree } from "./list-tree.ts";
import { findCommit, openCode } from "./open.ts";

const licenseNames = /^(un)?licen[sc]e([-._].*)?$|^copying([-._].*)?$/i;
/** So many entries of the folder are looked at, and so many files of these names; larger ones count for nothing. */
const mostEntries = 5_000;
const mostFiles = 5;
const mostFileBytes = 64 * 1024;

/**
 * The SPDX identifiers of the licenses in the first folder of a repository's default branch, in order: of files such as
 * LICENSE or COPYING that hold one license each. Empty before the first push, and when none is known.
 */
export async function listLicensesOfRepository(
  forge: Forge,
  repositoryId: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const code = await openCode(forge, repositoryId, signal);
  const commit = await findCommit(code, undefined);
  if (commit === undefined) return [];
  const root = await findContentsAt(code, commit.id, "");
  if (root?.mode !== directoryMode) return [];
  const range = { isRecursive: false, skip: 0, limit: mostEntries };
  const { entries } = await listTree(code.history, root.id, range);
  const isLicense = ({ path, mode, size }: ListedEntry) =>
    licenseNames.test(path) &&
    ![directoryMode, gitlinkMode, symlinkMode].includes(mode) &&
    size <= mostFileBytes;
  const found = new Set<string>();
  for (const { id } of entries.filter(isLicense).slice(0, mostFiles)) {
    const { data } = await code.history.object(id);
    const key = await identifyLicense(forge.compute, data.toString("utf8"));
    if (key !== undefined) found.add(key);
  }
  return [...found].sort();
}
