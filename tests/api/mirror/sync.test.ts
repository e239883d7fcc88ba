import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openRepository } from "#core/git/store/store";
import { listDue } from "#core/jobs/due";
import { listJobs } from "#core/jobs/job";
import { checkRepository } from "#core/lifecycle/check/check";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { addCommits, ourRefs, realRemote, refsOf } from "#tests/git/client/remotes";
import { git, gitText } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { whileWorking, workOnMirrors } from "#tests/support/mirror-work";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let made = 0;

beforeAll(async () => {
  api = await makeApi({ settings: { MIGRATION_ALLOWED_HOST_LIST: "loopback" } });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

interface Mirror {
  readonly id: number;
  readonly path: string;
  readonly folder: string;
  readonly server: Awaited<ReturnType<typeof realRemote>>["server"];
}

/** Alice's mirror of a repository with two branches and a tag. */
async function makeMirror(options: object = {}): Promise<Mirror> {
  const { url, folder, server } = await realRemote("sha1");
  await addCommits(folder, "main", 2);
  await addCommits(folder, "topic", 1);
  await git(folder, ["tag", "v1", "main"]);
  const body = { clone_addr: url, repo_name: `mirror-${made++}`, mirror: true, ...options };
  const { status, json } = await whileWorking(api, api.call("POST", "/repos/migrate", { as: alice, body }));
  expect(status).toBe(201);
  return { id: json.id, path: `/repos/${json.full_name}`, folder, server };
}

const sync = ({ path }: Mirror, as: Caller = alice) =>
  whileWorking(api, api.call("POST", `${path}/mirror-sync`, { as }));
const shown = async ({ path }: Mirror) => (await api.call("GET", path, { as: alice })).json;
const state = async ({ path }: Mirror) => (await api.call("GET", `${path}/migration`, { as: alice })).json;
const edit = ({ path }: Mirror, body: object, as: Caller = alice) => api.call("PATCH", path, { as, body });

async function refsOfOurs({ id }: Mirror): Promise<string[]> {
  const opened = await openRepository(api.forge, id);
  if (opened === undefined) throw new Error("gone");
  return ourRefs(opened);
}

/** What the minute does, and the worker behind it. */
async function tick(): Promise<number> {
  const started = await startDueMirrors(api.forge);
  await workOnMirrors(api);
  return started;
}

describe("repoMirrorSync", () => {
  it("200: brings what was added, moved by force, and removed at the source (semantics §8.3)", async () => {
    const mirror = await makeMirror();
    await addCommits(mirror.folder, "main", 1);
    await addCommits(mirror.folder, "new/branch", 1);
    await git(mirror.folder, ["update-ref", "refs/heads/topic", "main~1"]);
    await git(mirror.folder, ["tag", "-d", "v1"]);
    const before = (await shown(mirror)).mirror_updated;
    api.clock.advance(5_000);
    expect((await sync(mirror)).status).toBe(200);
    expect(await refsOfOurs(mirror)).toEqual(await refsOf(mirror.folder));
    expect((await shown(mirror)).mirror_updated > before).toBe(true);
    expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
  });

  it("200: without enable_prune what is gone at the source stays here, until it is on (semantics §5-6, B-04)", async () => {
    const mirror = await makeMirror();
    const { mirror_interval: interval } = await shown(mirror);
    expect((await edit(mirror, { enable_prune: false })).json).toMatchObject({
      enable_prune: false,
      mirror_interval: interval,
    });
    await git(mirror.folder, ["branch", "-D", "topic"]);
    await sync(mirror);
    expect(await refsOfOurs(mirror)).toEqual(
      expect.arrayContaining([expect.stringContaining("refs/heads/topic")]),
    );
    expect((await edit(mirror, { enable_prune: true })).status).toBe(200);
    await sync(mirror);
    expect(await refsOfOurs(mirror)).toEqual(await refsOf(mirror.folder));
  });

  it("200: a source that lost all its branches takes nothing away here", async () => {
    const mirror = await makeMirror();
    const before = await refsOfOurs(mirror);
    for (const ref of ["refs/heads/main", "refs/heads/topic", "refs/tags/v1"]) {
      await git(mirror.folder, ["update-ref", "-d", ref]);
    }
    expect((await sync(mirror)).status).toBe(200);
    expect(await refsOfOurs(mirror)).toEqual(before);
    expect((await state(mirror)).message).toMatch(/no branches and tags any more/);
  });

  it("200: the default branch follows the source's HEAD once that changes, not a choice that was made here", async () => {
    const mirror = await makeMirror();
    expect((await edit(mirror, { default_branch: "topic" })).json.default_branch).toBe("topic");
    await addCommits(mirror.folder, "main", 1);
    await sync(mirror);
    expect((await shown(mirror)).default_branch).toBe("topic");
    await addCommits(mirror.folder, "trunk", 1);
    await git(mirror.folder, ["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    await addCommits(mirror.folder, "main", 1);
    await sync(mirror);
    expect((await shown(mirror)).default_branch).toBe("trunk");
  });

  it("400: no mirror; 403: a reader; 401: nobody", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name: "ordinary" } });
    expect((await api.call("POST", "/repos/alice/ordinary/mirror-sync", { as: alice })).status).toBe(400);
    const mirror = await makeMirror();
    expect((await sync(mirror, bob)).status).toBe(403);
    expect((await api.call("POST", `${mirror.path}/mirror-sync`)).status).toBe(401);
  });

  it("403: branches of a mirror are made and deleted at its source alone (semantics §8.3)", async () => {
    const { path } = await makeMirror();
    const made = await api.call("POST", `${path}/branches`, { as: alice, body: { new_branch_name: "mine" } });
    expect(made.status).toBe(403);
    expect((await api.call("DELETE", `${path}/branches/topic`, { as: alice })).status).toBe(403);
  });

  it("what the source does wrong stands at the mirror, without the password, and is tried again ever later", async () => {
    const mirror = await makeMirror({
      auth_username: "someone",
      auth_password: "s3cret",
      mirror_interval: "10m",
    });
    mirror.server.closeAllConnections();
    mirror.server.close();
    await once(mirror.server, "close");
    const pauses: number[] = [];
    for (let failures = 1; failures <= 10; failures += 1) {
      expect((await sync(mirror)).status).toBe(200);
      const { message, failures: counted } = await state(mirror);
      expect(message).not.toBe("");
      expect(message).not.toContain("s3cret");
      expect(counted).toBe(failures);
      const due = await listDue<{ repositoryId: number; at: number }>(api.forge, "sync-mirror");
      const times = due.filter(({ repositoryId }) => repositoryId === mirror.id).map(({ at }) => at);
      pauses.push(Math.max(...times) - Math.floor(api.clock.now() / 1000));
    }
    expect(pauses.slice(0, 4)).toEqual([600, 1_200, 2_400, 4_800]);
    expect(pauses.at(-1)).toBe(86_400);
    expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
  });
});

describe("the minute", () => {
  let mirror: Mirror;
  beforeEach(async () => {
    mirror = await makeMirror({ mirror_interval: "1h" });
  });

  it("syncs mirrors when their time has come, and not before (semantics §5)", async () => {
    await addCommits(mirror.folder, "main", 1);
    api.clock.advance(59 * 60_000);
    await tick();
    expect(await refsOfOurs(mirror)).not.toEqual(await refsOf(mirror.folder));
    api.clock.advance(2 * 60_000);
    expect(await tick()).toBeGreaterThanOrEqual(1);
    expect(await refsOfOurs(mirror)).toEqual(await refsOf(mirror.folder));
  });

  it("two at once start one sync", async () => {
    api.clock.advance(61 * 60_000);
    await Promise.all([startDueMirrors(api.forge), startDueMirrors(api.forge)]);
    const jobs = (await listJobs(api.forge)).filter(
      ({ arguments: args }) => (args as { repositoryId: number }).repositoryId === mirror.id,
    );
    expect(jobs).toHaveLength(1);
    await workOnMirrors(api);
    expect((await state(mirror)).status).toBe("done");
  });

  it("another interval plans anew, and 0 plans nothing", async () => {
    expect((await edit(mirror, { mirror_interval: "30m" })).status).toBe(200);
    await addCommits(mirror.folder, "main", 1);
    api.clock.advance(31 * 60_000);
    await tick();
    expect(await refsOfOurs(mirror)).toEqual(await refsOf(mirror.folder));
    await edit(mirror, { mirror_interval: "0" });
    await addCommits(mirror.folder, "main", 1);
    api.clock.advance(24 * 3_600_000);
    await tick();
    expect(await refsOfOurs(mirror)).not.toEqual(await refsOf(mirror.folder));
    expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
  });

  it("leaves alone what became an ordinary repository, or was deleted", async () => {
    const converted = await api.call("POST", `${mirror.path}/convert`, { as: alice });
    expect([converted.status, converted.json.mirror]).toEqual([200, false]);
    const other = await makeMirror({ mirror_interval: "1h" });
    expect((await api.call("DELETE", other.path, { as: alice })).status).toBe(204);
    const tip = await gitText(mirror.folder, ["rev-parse", "main"]);
    await addCommits(mirror.folder, "main", 1);
    api.clock.advance(2 * 3_600_000);
    await tick();
    expect(await refsOfOurs(mirror)).toContain(`${tip} refs/heads/main`);
  });
});
