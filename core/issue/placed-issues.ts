import { isHiddenFromToken } from "../access/public-only.ts";
import { findAccessesById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table/write.ts";
import { type Issue, type IssueTombstone, issueKey, issueTombstonesOf } from "./issue.table.ts";
import { isIssueReadable } from "./rights.ts";

/** The address of an issue. */
export interface IssueAddress {
  readonly repositoryId: number;
  readonly number: number;
}

/** An issue in its repository, with the caller's rights there. */
export interface PlacedIssue {
  readonly issue: Issue;
  readonly access: RepositoryAccess;
}

/** A caller's rights in any repository, each looked up once, and concurrent requests together. */
export interface AccessLoader {
  /** Undefined when there is no such repository, or when the caller may not see it. */
  accessTo(repositoryId: number): Promise<RepositoryAccess | undefined>;
}

/** The sight of a caller who was let into one repository already. */
export function accessLoader(forge: Forge, actor: Actor | undefined, home?: RepositoryAccess): AccessLoader {
  const known = new Map<number, Promise<RepositoryAccess | undefined>>();
  if (home !== undefined) known.set(home.repository.id, Promise.resolve(home));
  let asked: { readonly ids: number[]; readonly found: Promise<ReadonlyMap<number, RepositoryAccess>> };
  let isOpen = false;
  const ask = async (repositoryId: number) => {
    if (!isOpen) {
      const ids: number[] = [];
      const look = async () => {
        isOpen = false;
        return findShown(forge, actor, ids);
      };
      asked = { ids, found: Promise.resolve().then(look) };
      isOpen = true;
    }
    asked.ids.push(repositoryId);
    return (await asked.found).get(repositoryId);
  };
  return {
    accessTo(repositoryId) {
      const access = known.get(repositoryId) ?? ask(repositoryId);
      known.set(repositoryId, access);
      return access;
    },
  };
}

async function findShown(
  forge: Forge,
  actor: Actor | undefined,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RepositoryAccess>> {
  const found = await findAccessesById(forge, actor, ids);
  return new Map([...found].filter(([, access]) => !isHiddenFromToken(actor, access)));
}

/** Deleted issues and pulls of a repository that may still have parts elsewhere. */
export async function findDeletedNumbers(
  { table }: Forge,
  repositoryId: number,
): Promise<ReadonlySet<number>> {
  const marks = await table.queryAll<IssueTombstone>(issueTombstonesOf(repositoryId));
  return new Set(marks.map(({ number }) => number));
}

/** The issues and pulls at these addresses that the caller may read, in their order. */
export async function findPlacedIssues(
  forge: Forge,
  loader: AccessLoader,
  addresses: readonly IssueAddress[],
): Promise<PlacedIssue[]> {
  const keys = addresses.map(({ repositoryId, number }) => issueKey(repositoryId, number));
  const [found, accesses] = await Promise.all([
    forge.table.getAll<Issue>(keys),
    Promise.all(addresses.map(({ repositoryId }) => loader.accessTo(repositoryId))),
  ]);
  return keys.flatMap((key, place) => {
    const [issue, access] = [found.get(keyText(key)), accesses[place]];
    if (issue === undefined || access === undefined) return [];
    return isIssueReadable(access.rights, issue.kind) ? { issue, access } : [];
  });
}
