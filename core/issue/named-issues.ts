import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey } from "../owner/owner.table.ts";
import type { IssueReference, ReferenceAction } from "../references.ts";
import { type RepositoryNameGuard, repositoryNameKey } from "../repository/repository.table.ts";
import { keyText } from "../table.ts";

/** Issues that one text refers to, and other repositories that they are in: who names more wrote a list. */
const mostNamed = 50;
const mostRepositories = 10;

/** An issue or pull that a text names, whether it is there or not. */
export interface NamedIssue {
  readonly repositoryId: number;
  readonly number: number;
  readonly action: ReferenceAction;
  /** Where the reference ends in the text. */
  readonly end: number;
}

/**
 * What references written in a repository name, each issue once: the first 50, in up to 10 other repositories, nobody's
 * rights asked. A keyword counts wherever in the text the issue is named with one.
 */
export async function findNamed(
  forge: Forge,
  home: number,
  references: readonly IssueReference[],
): Promise<NamedIssue[]> {
  const paths = [...new Set(references.flatMap((one) => pathOf(one) ?? []))].slice(0, mostRepositories);
  const ids = await findRepositoryIds(forge, paths);
  const named = new Map<string, NamedIssue>();
  for (const reference of references) {
    const path = pathOf(reference);
    const repositoryId = path === undefined ? home : ids.get(path);
    if (repositoryId === undefined) continue;
    const { number, action, end } = reference;
    const key = `${repositoryId}.${number}`;
    const known = named.get(key);
    if (known === undefined && named.size >= mostNamed) continue;
    if (known === undefined || known.action === "none") named.set(key, { repositoryId, number, action, end });
  }
  return [...named.values()];
}

/** `owner/name` in small letters; undefined for the repository that the text belongs to. */
const pathOf = ({ owner, repository }: IssueReference): string | undefined =>
  owner === undefined || repository === undefined ? undefined : `${owner}/${repository}`.toLowerCase();

/** The repositories that paths lead to, former names too; in two requests. */
async function findRepositoryIds({ table }: Forge, paths: readonly string[]): Promise<Map<string, number>> {
  const split = paths.map(
    (path) => [path, ...path.split("/")] as [path: string, owner: string, name: string],
  );
  const owners = await table.getAll<NameGuard>(split.map(([, owner]) => nameGuardKey(owner)));
  const keys = split.flatMap(([path, owner, name]) => {
    const guard = owners.get(keyText(nameGuardKey(owner)));
    return guard === undefined ? [] : [[path, repositoryNameKey(guard.ownerId, name)] as const];
  });
  const found = await table.getAll<RepositoryNameGuard>(keys.map(([, key]) => key));
  return new Map(
    keys.flatMap(([path, key]) => {
      const guard = found.get(keyText(key));
      return guard === undefined ? [] : [[path, guard.repositoryId] as const];
    }),
  );
}
