import { unprocessable } from "../../errors.ts";
import { equals } from "../../table/condition.ts";
import { keyText, put, type Write } from "../../table/write.ts";
import {
  type FormerName,
  type Repository,
  type RepositoryNameGuard,
  repositoryNameIsFree,
  repositoryNameKey,
} from "../repository.table.ts";

/** None of them keeps a name from anybody, yet all are read with the repository. */
const mostFormerNames = 50;

/** A repository's new name, or owner, or both: the writes beside it, and its former names after that. */
export interface Move {
  /** Absent when nothing of the kind changes. */
  readonly formerNames?: readonly FormerName[];
  /** The first takes the new name, on the condition that it is free. */
  readonly writes: readonly Write[];
}

/**
 * The writes that give a repository another name or owner: for the transaction that changes the repository on the
 * condition of its `v`. The former path leads to it until somebody takes it (semantics §1.3). 422 after too many moves.
 */
export function nameMove(repository: Repository, to: FormerName): Move {
  const { id, ownerId, name, formerNames = [] } = repository;
  const [fromKey, toKey] = [repositoryNameKey(ownerId, name), repositoryNameKey(to.ownerId, to.name)];
  if (keyText(fromKey) === keyText(toKey)) return { writes: [] };
  const taken = new Set([keyText(fromKey), keyText(toKey)]);
  const others = formerNames.filter((one) => !taken.has(keyText(repositoryNameKey(one.ownerId, one.name))));
  if (others.length >= mostFormerNames) {
    throw unprocessable(`Name: a repository may have at most ${mostFormerNames} former names`);
  }
  const guard: RepositoryNameGuard = { ...toKey, repositoryId: id, _v: 1 };
  const redirect: RepositoryNameGuard = {
    ...fromKey,
    repositoryId: id,
    moved: true,
    ownerId: to.ownerId,
    _v: 1,
  };
  return {
    formerNames: [...others, { ownerId, name: name.toLowerCase() }],
    writes: [put(guard, repositoryNameIsFree), put(redirect, equals({ repositoryId: id, moved: undefined }))],
  };
}
