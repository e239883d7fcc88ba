import { expect } from "vitest";
import { openRepository } from "#core/git/store/store";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { addCommits, ourRefs, realRemote } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import type { Caller, TestApi } from "#tests/support/api";

/** Requests don't wait here: what is asked for is under way when they answer. */
export const migrationSettings = { MIGRATION_ALLOWED_HOST_LIST: "loopback", MIRROR_WAIT: "0" };

let made = 0;

/** A repository that is being brought over; its source has a wiki if that is asked for. */
export async function beginMigration(api: TestApi, as: Caller, options: object = {}) {
  const remote = await realRemote("sha1");
  await addCommits(remote.folder, "main", 5);
  const wiki = remote.folder.replace(/\.git$/, ".wiki.git");
  if ("wiki" in options && options.wiki === true) {
    await git(remote.folder, ["clone", "-q", "--bare", remote.folder, wiki]);
    await addCommits(wiki, "main", 1);
  }
  const body = { clone_addr: remote.url, repo_name: `slow-${made++}`, ...options };
  const { status, json } = await api.call("POST", "/repos/migrate", { as, body });
  expect([status, json.empty]).toEqual([201, true]);
  return {
    id: json.id as number,
    path: `/repos/${json.full_name}`,
    name: json.full_name as string,
    wiki,
    ...remote,
  };
}

/** The refs that a repository has here. */
export async function refsHere(api: TestApi, id: number) {
  const opened = await openRepository(api.forge, id);
  if (opened === undefined) throw new Error("gone");
  return ourRefs(opened);
}

/** The id under which a repository's wiki is stored. */
export async function wikiIdOf(api: TestApi, id: number): Promise<number> {
  const repository = await api.forge.table.get<Repository>(repositoryKey(id));
  if (repository?.wikiId === undefined) throw new Error("no wiki");
  return repository.wikiId;
}
