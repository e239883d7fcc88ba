import type { Actor } from "#core/actor";
import { createRepository } from "#core/repository/create";
import type { Repository } from "#core/repository/repository.table";
import type { Caller, TestApi } from "#tests/support/api";
import { setRepository as setListedRepository } from "#tests/support/set-listed";

/** A repository of a test, and the path of its routes. */
export interface TestRepository {
  readonly repository: Repository;
  readonly path: string;
}

let made = 0;

/** Makes a repository of this owner. */
export async function makeRepository(
  api: TestApi,
  owner: Caller,
  given: { readonly isPrivate?: boolean } = {},
): Promise<TestRepository> {
  made += 1;
  const actor: Actor = { user: owner.user };
  const name = `Repo-${made}`;
  const repository = await createRepository(api.forge, actor, owner.user, { name, ...given });
  return { repository, path: `/repos/${owner.name}/${name}` };
}

/** Changes attributes of a repository beside its verbs, such as `units`. */
export const setRepository = (api: TestApi, { repository }: TestRepository, set: Partial<Repository>) =>
  setListedRepository(api.forge, repository.id, set);
