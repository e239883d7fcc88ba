import { beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { addCommits, refsOf } from "#tests/git/client/remotes";
import { git, gitText } from "#tests/git/pack/real-git";
import { type Mirror, syncedMirrors } from "./synced-mirrors.ts";

const { api, alice, makeMirror, sync, shown, state, edit, refsOfOurs, tick } = syncedMirrors();

describe("repoMirrorSync", () => {
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
});

describe("the minute", () => {
  let mirror: Mirror;
  beforeEach(async () => {
    mirror = await makeMirror({ mirror_interval: "1h" });
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
