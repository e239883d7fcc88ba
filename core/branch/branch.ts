import { readTogether } from "../code/commits.ts";
import { type Code, openCode } from "../code/open.ts";
import { type Verification, verifyCommits } from "../code/verification.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Commit } from "../git/format/commit.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { IdentifiedCommit } from "../git/history/history.ts";
import { branchPrefix, compareRefNames } from "../git/refs/ref-name.ts";
import type { RefEntry } from "../git/refs/ref-table.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";

/** A branch with the commit that it points at. */
export interface Branch {
  readonly name: string;
  readonly commitId: ObjectId;
  readonly commit: Commit;
  readonly verification: Verification;
}

/**
 * One page of a repository's branches, newest commit first, then by name, and the number of all. Order and total come
 * from the branch records; only the commits of the page are read.
 */
export async function listBranches(
  forge: Forge,
  repositoryId: number,
  { keyword = "", ...page }: PageRequest & { readonly keyword?: string },
): Promise<{ items: Branch[]; total: number }> {
  const code = await openCode(forge, repositoryId);
  const entries = code.repository.refs
    .list(branchPrefix)
    .filter(({ name }) => nameOf(name).toLowerCase().includes(keyword.toLowerCase()))
    .sort(newestFirst);
  const shown = rowsOfPage(entries, page);
  if (shown.length === 0) return { items: [], total: entries.length };
  return { items: await withCommits(forge, code, shown), total: entries.length };
}

/** The branch of this name; NotFound when there is none. */
export async function getBranch(forge: Forge, repositoryId: number, name: string): Promise<Branch> {
  const code = await openCode(forge, repositoryId);
  const entry = code.repository.refs.find(`${branchPrefix}${name}`);
  if (entry === undefined) throw notFound(`branch does not exist [name: ${name}]`);
  const [branch] = await withCommits(forge, code, [entry]);
  if (branch === undefined) throw new Error(`the commit of ${entry.name} could not be read`);
  return branch;
}

const nameOf = (ref: string): string => ref.slice(branchPrefix.length);

function newestFirst(one: RefEntry, other: RefEntry): number {
  const [newer, older] = [other.record?.committedSeconds ?? 0, one.record?.committedSeconds ?? 0];
  return newer - older || compareRefNames(one.name, other.name);
}

async function withCommits(forge: Forge, code: Code, entries: readonly RefEntry[]): Promise<Branch[]> {
  const commits = await readTogether(
    code,
    entries.map(({ id }) => id),
  );
  const verifications = await verifyCommits(forge, code.history, commits);
  return entries.map(({ name, id }, at) => ({
    name: nameOf(name),
    commitId: id,
    commit: (commits[at] as IdentifiedCommit).commit,
    verification: verifications[at] as Verification,
  }));
}
