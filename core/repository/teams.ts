import { equals } from "../table/condition.ts";
import { update, type Write } from "../table/write.ts";
import { repositoryDelta } from "./listing/index-writes.ts";
import { type Repository, repositoryKey } from "./repository.table.ts";

/** Gives the repository to exactly these teams: for a transaction, on the condition that nobody edited it since. */
export function withTeams(repository: Repository, teamIds: readonly number[]): Write[] {
  const { id, v } = repository;
  const sorted = [...teamIds].sort((one, other) => one - other);
  const set = { teamIds: sorted, v: v + 1 };
  return [
    update(repositoryKey(id), { set }, equals({ v, state: "live" })),
    repositoryDelta({ ...repository, ...set }),
  ];
}
