import { once } from "node:events";
import { beforeEach, describe, expect, it } from "vitest";
import { listDue } from "#core/jobs/due";
import { listJobs } from "#core/jobs/job";
import { checkRepository } from "#core/lifecycle/check/check";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { addCommits, refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { workOnMirrors } from "#tests/support/mirror-work";
import { type Mirror, syncedMirrors } from "./synced-mirrors.ts";

const { api, alice, bob, makeMirror, unchanged, sync, shown, state, edit, refsOfOurs, tick } =
  syncedMirrors();

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

  it("400: no mirror; 403: a reader; 401: nobody", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name: "ordinary" } });
    expect((await api.call("POST", "/repos/alice/ordinary/mirror-sync", { as: alice })).status).toBe(400);
    const mirror = await unchanged();
    expect((await sync(mirror, bob)).status).toBe(403);
    expect((await api.call("POST", `${mirror.path}/mirror-sync`)).status).toBe(401);
  });

  it("403: branches of a mirror are made and deleted at its source alone (semantics §8.3)", async () => {
    const { path } = await unchanged();
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
});
