import { type ForgeError, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type Commit, commitSignature, parseCommit } from "../git/object/commit.ts";
import type { ObjectId } from "../git/object/object-format.ts";
import { isValidRefName } from "../git/object/ref-name.ts";
import type { PackSet } from "../git/pack/pack-set.ts";
import { branchPrefix, compareRefNames } from "../git/refs/ref-name.ts";
import type { RefEntry } from "../git/refs/ref-table.ts";
import { openRepository } from "../git/store.ts";

/** A branch with the commit that it points at. */
export interface Branch {
  readonly name: string;
  readonly commitId: ObjectId;
  readonly commit: Commit;
  /** What the commit is signed with and the bytes that are signed. */
  readonly signature?: { readonly signature: string; readonly payload: Buffer };
}

const longestName = 100;

/** Why a branch may not be made under this name through the API (semantics §30), or undefined when it may. */
export function branchNameProblem(name: string, field: string): ForgeError | undefined {
  if (name.length > longestName) return invalid(field, `MaxSize ${longestName}`);
  const isWellFormed = isValidRefName(`${branchPrefix}${name}`) && !name.startsWith("-") && name !== "HEAD";
  return isWellFormed ? undefined : invalid(field, "GitRefName: git allows no such branch name");
}

/**
 * One page of a repository's branches and how many there are in all, newest commit first, then by name. Order and
 * total come from the branch records; only the commits of the page are read.
 */
export async function list(
  forge: Forge,
  repositoryId: number,
  { page, limit, keyword = "" }: { page: number; limit: number; keyword?: string },
): Promise<{ items: Branch[]; total: number }> {
  const opened = await openRepository(forge, repositoryId);
  if (opened === undefined) throw notFound("the repository was deleted meanwhile");
  const entries = opened.refs
    .list(branchPrefix)
    .filter(({ name }) => nameOf(name).toLowerCase().includes(keyword.toLowerCase()))
    .sort(newestFirst);
  const shown = entries.slice((page - 1) * limit, page * limit);
  if (shown.length === 0) return { items: [], total: entries.length };
  return { items: await withCommits(await opened.packs(), shown), total: entries.length };
}

/** The branch of this name; NotFound when there is none. */
export async function get(forge: Forge, repositoryId: number, name: string): Promise<Branch> {
  const opened = await openRepository(forge, repositoryId);
  const entry = opened?.refs.find(`${branchPrefix}${name}`);
  if (opened === undefined || entry === undefined) throw notFound(`branch does not exist [name: ${name}]`);
  const [branch] = await withCommits(await opened.packs(), [entry]);
  if (branch === undefined) throw new Error(`the commit of ${entry.name} could not be read`);
  return branch;
}

const nameOf = (ref: string): string => ref.slice(branchPrefix.length);

function newestFirst(one: RefEntry, other: RefEntry): number {
  const [newer, older] = [other.record?.committedSeconds ?? 0, one.record?.committedSeconds ?? 0];
  return newer - older || compareRefNames(one.name, other.name);
}

async function withCommits(packs: PackSet, entries: readonly RefEntry[]): Promise<Branch[]> {
  const places = entries.map(({ name, id }) => {
    const place = packs.find(id);
    if (place === undefined) throw new Error(`no pack holds ${id}, the commit of ${name}`);
    return place;
  });
  const objects = await packs.readMany(places);
  return entries.map(({ name, id }, at) => {
    const data = objects[at]?.data ?? Buffer.alloc(0);
    const signature = commitSignature(data, packs.format === "sha1" ? "gpgsig" : "gpgsig-sha256");
    const signed = signature === undefined ? {} : { signature };
    return { name: nameOf(name), commitId: id, commit: parseCommit(data), ...signed };
  });
}
