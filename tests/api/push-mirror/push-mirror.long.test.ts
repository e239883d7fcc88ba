import { describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { startDuePushMirrors, startPushMirrors } from "#core/push-mirror/start";
import type { Write } from "#core/table/write";
import { refsOf } from "#tests/git/client/remotes";
import { pushFiles } from "#tests/support/code";
import { whileWorking, workOnMirrors } from "#tests/support/mirror-work";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { pushedMirrors } from "./pushed-mirrors.ts";

const { api, alice, makePair, add, list, namesAt } = pushedMirrors();

describe("a run that is on the queue when its repository is archived", () => {
  it("does nothing, and the mirror goes on once the repository is unarchived (B-07)", async () => {
    const pair = await makePair();
    await add(pair, { interval: "10m" });
    await startDuePushMirrors(api.forge);
    await api.call("PATCH", pair.path, { as: alice, body: { archived: true } });
    await workOnMirrors(api);
    expect([(await list(pair))[0].last_update, await namesAt(pair)]).toEqual([null, [undefined]]);
    await api.call("PATCH", pair.path, { as: alice, body: { archived: false } });
    api.clock.advance(11 * 60_000);
    await startDuePushMirrors(api.forge);
    await workOnMirrors(api);
    expect(await namesAt(pair)).toEqual(["refs/heads/main", "refs/heads/topic/a"]);
    expect(await checkRepository(api.forge, pair.id)).toEqual([]);
  });
});

describe("sync_on_commit", () => {
  it("of pushes that race each other and a run the last state reaches the remote", async () => {
    const pair = await makePair();
    await add(pair, { interval: "0", sync_on_commit: true });
    const push = async (at: number) => {
      const branch = `race-${at}`;
      await pushFiles(api, alice, pair.name, { files: { [branch]: "1\n" }, branch, from: "main" });
      await startPushMirrors(api.forge, pair.id);
    };
    for (let round = 0; round < 4; round += 1) {
      const pushes = Promise.all([0, 1].map((at) => push(2 * round + at)));
      await whileWorking(api, pushes);
      // What came too late for a run that was under way has one at the next minute.
      api.clock.advance(60_000);
      await startDuePushMirrors(api.forge);
      await workOnMirrors(api);
      const branches = Array.from({ length: 2 * round + 2 }, (_, at) => `refs/heads/race-${at}`);
      expect(await namesAt(pair)).toEqual(expect.arrayContaining(branches));
    }
    expect(await refsOf(pair.remote.folder)).toHaveLength(10);
    expect(await checkRepository(api.forge, pair.id)).toEqual([]);
  });

  it("a push while the run's end is being written is not lost: its run is due", async () => {
    const pair = await makePair();
    const { json } = await add(pair, { interval: "0", sync_on_commit: true });
    await startPushMirrors(api.forge, pair.id);
    let isPushed = false;
    const meanwhile = async () => {
      if (isPushed) return;
      isPushed = true;
      await pushFiles(api, alice, pair.name, { files: { h: "1\n" }, branch: "last", from: "main" });
      await startPushMirrors(api.forge, pair.id);
    };
    const isEnd = (writes: readonly Write[]) =>
      writes.some((write) => "update" in write && write.update.sk.includes(json.remote_name));
    await workOnMirrors({ ...api, forge: withMeanwhile(api.forge, meanwhile, isEnd) });
    expect(isPushed).toBe(true);
    api.clock.advance(60_000);
    await startDuePushMirrors(api.forge);
    await workOnMirrors(api);
    expect(await namesAt(pair)).toContain("refs/heads/last");
  });
});
