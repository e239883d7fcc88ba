import type { Forge } from "../../forge.ts";
import { type NameGuard, nameGuardKey } from "../../owner/owner.table.ts";
import type { IssueReference, ReferenceAction } from "../../reference/find-references.ts";
import { type RepositoryNameGuard, repositoryNameKey } from "../../repository/repository.table.ts";
import { keyText } from "../../table/write.ts";

/**
 * The most issues that one text refers to, and the most other repositories that they are in: a longer text is a list.
 */
const mostNamed = 50;
const mostRepositories = 10;

/** An issue or pull that a text names, whether it exists or not. */
export interface NamedIssue {
  readonly repositoryId: number;
  readonly number: number;
  readonly action: ReferenceAction;
  /** The end of the reference in the text. */
  readonly end: number;
}

/**
 * The issues that a text of a repository names, each once: the first 50, in up to 10 other repositories, without
 * checking rights. A keyword counts wherever the text names the issue with one.
 */
export async function findNamedIssue(
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

/** `owner/name` in lower case; undefined for the repository that the text belongs to. */
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
