import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepPacks } from "#core/git/store/maintain/sweep-packs";
import { openRepository } from "#core/git/store/store";
import { runJob } from "#core/jobs/run";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { jobKinds } from "#functions/workers/job-kinds";
import { addCommits, ourRefs, realRemote, refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

/** Requests don't wait here: what is asked for is under way when they answer. */
const settings = { MIGRATION_ALLOWED_HOST_LIST: "loopback", MIRROR_WAIT: "0" };

let api: TestApi;
let alice: Caller;
let made = 0;

beforeAll(async () => {
  api = await makeApi({ settings });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

/** A repository that is being brought over, and its source with a wiki. */
async function begin(options: object = {}) {
  const remote = await realRemote("sha1");
  await addCommits(remote.folder, "main", 5);
  const wiki = remote.folder.replace(/\.git$/, ".wiki.git");
  await git(remote.folder, ["clone", "-q", "--bare", remote.folder, wiki]);
  await addCommits(wiki, "main", 1);
  const body = { clone_addr: remote.url, repo_name: `slow-${made++}`, ...options };
  const { status, json } = await api.call("POST", "/repos/migrate", { as: alice, body });
  expect([status, json.empty]).toEqual([201, true]);
  return {
    id: json.id as number,
    path: `/repos/${json.full_name}`,
    name: json.full_name as string,
    wiki,
    ...remote,
  };
}

const stateOf = (path: string, as: Caller = alice) => api.call("GET", `${path}/migration`, { as });

async function refsOfOurs(id: number) {
  const opened = await openRepository(api.forge, id);
  if (opened === undefined) throw new Error("gone");
  return ourRefs(opened);
}

async function wikiIdOf(id: number): Promise<number> {
  const repository = await api.forge.table.get<Repository>(repositoryKey(id));
  if (repository?.wikiId === undefined) throw new Error("no wiki");
  return repository.wikiId;
}

it("a repository that is brought over is whole after its worker was killed before or after any write", async () => {
  let kills = 0;
  for (const when of ["before", "after"] as const) {
    for (let write = 1; ; write += 3) {
      const { id, path, folder } = await begin({ mirror: true, wiki: true });
      api.faults.crashAt(write, when);
      const run = () => runJob(api.forge, jobKinds, `sync-mirror-${id}`, { budgetMs: 60_000 });
      await run().catch((error: unknown) => error);
      const wasKilled = api.faults.hasCrashed;
      api.faults.recover();
      api.clock.advance(180_000); // past the lease and the pause after a failure
      await run();
      const name = `${when} write ${write}`;
      expect(await refsOfOurs(id), name).toEqual(await refsOf(folder));
      expect((await stateOf(path)).json, name).toMatchObject({ status: "done", message: "", failures: 0 });
      // As the weekly job does: a kill leaves a pack that nothing names.
      for (const gitId of [id, await wikiIdOf(id)]) await sweepPacks(api.forge, gitId);
      expect(await checkRepository(api.forge, id), name).toEqual([]);
      if (!wasKilled) break;
      kills += 1;
    }
  }
  expect(kills).toBeGreaterThan(8);
});
