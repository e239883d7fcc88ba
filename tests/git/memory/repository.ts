import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import type { PackSet } from "#core/git/pack/pack-set";
import { type RefEntry, RefTable } from "#core/git/refs/ref-table";
import type { GitRefs, GitRepository } from "#core/git/repository";
import { gitText } from "#tests/git/pack/real-git";
import { packsIn } from "./pack-sets.ts";

const mainBranch = "refs/heads/main";

/** Refs as the store would have them: ids by full name. */
export const refsTo = (ids: Readonly<Record<string, ObjectId>>): RefTable =>
  tableOf(Object.entries(ids).map(([name, id]) => ({ name, id })));

const tableOf = (refs: readonly Pick<RefEntry, "name" | "id" | "peeled">[]): RefTable =>
  RefTable.empty.with(refs.map((ref) => ({ name: ref.name, entry: { ...ref, pusherId: 1, updatedMs: 0 } })));

/** The engine's port over packs and refs in memory; HEAD names `main`, and the packs hold no garbage. */
export const memoryRepository = (
  packs: PackSet,
  refs: RefTable,
  more: Partial<GitRepository> = {},
): GitRepository => ({
  format: packs.format,
  head: mainBranch,
  refs,
  isWhollyReachable: true,
  packs: async () => packs,
  ...more,
});

/** The refs of a real repository. */
export async function refsIn(folder: string): Promise<GitRefs> {
  const listed = await gitText(folder, ["for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"]);
  const refs = listed.split("\n").map((line) => {
    const [name = "", id = "", peeled = ""] = line.split(" ");
    return { name, id, ...(peeled !== "" && { peeled }) };
  });
  return { head: mainBranch, refs: tableOf(refs) };
}

/** All refs of a real repository, and what they lead to. */
export async function repositoryIn(folder: string, format: ObjectFormat): Promise<GitRepository> {
  const { refs } = await refsIn(folder);
  return memoryRepository(await packsIn(folder, format), refs);
}
