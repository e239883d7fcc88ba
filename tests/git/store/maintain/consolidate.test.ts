import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { forkGit } from "#core/git/store/fork";
import { consolidationBounds, planConsolidation } from "#core/git/store/maintain/plan-consolidation";
import { packGraceMs } from "#core/git/store/maintain/sweep-packs";
import { stagedKey } from "#core/git/store/refs/refs.table";
import { openRepository } from "#core/git/store/store";
import { put } from "#core/table/write";
import { type GitServer, startGitServer } from "../../http/git-server.ts";
import { git, temporaryFolder } from "../../pack/real-git.ts";
import { narrow, Pushed } from "./consolidated.ts";

let server: GitServer;
let made = 0;
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(() => server.faults.recover());
afterAll(() => server.stop());

async function make(format: "sha1" | "sha256" = "sha1"): Promise<{ pushed: Pushed; url: string }> {
  made += 1;
  const { id, url } = await server.create(`many-${made}`, { format });
  return { pushed: new Pushed(server, id, format), url };
}
async function cloneAndCheck(url: string): Promise<void> {
  const folder = await temporaryFolder();
  await git(folder, ["clone", "-q", "--bare", url, "clone"]);
  await git(join(folder, "clone"), ["fsck", "--full", "--strict"]);
}

const pack = (bytes: number, repositoryId = 1) => ({
  ...{ id: "0".repeat(16), key: "", packBytes: bytes, sideBytes: 10, objects: 10 },
  source: "receive" as const,
  repositoryId,
});
const packs = (count: number, bytes: number) => Array.from({ length: count }, () => pack(bytes));
const mega = 2 ** 20;

describe("planConsolidation", () => {
  const planned = (all: ReturnType<typeof packs>) => planConsolidation(all, 1)?.length;

  it("leaves few packs, packs of others, and packs that are too large as they are", () => {
    expect(planned(packs(15, 1_000))).toBeUndefined();
    expect(planned(Array.from({ length: 40 }, () => pack(1_000, 2)))).toBeUndefined();
    expect(planned(packs(40, 100 * mega))).toBeUndefined();
    expect(planned([...packs(15, 1_000), pack(1_000, 2), ...packs(15, 1_000)])).toBeUndefined();
  });

  it("takes neighbors by tiers: small ones without the large one before them", () => {
    expect(planned([pack(50 * mega), ...packs(16, 1_000)])).toBe(16);
    expect(planned([...packs(20, 1_000), pack(50 * mega), ...packs(3, 1_000)])).toBe(20);
    expect(planned([pack(3 * mega), ...packs(16, 100_000)])).toBe(17);
  });

  it("never takes more than its bounds", () => {
    const { mostPacks, mostBytes } = consolidationBounds;
    expect(planned(packs(11_000, 1_000))).toBe(mostPacks);
    expect((planned(packs(100, 10 * mega)) ?? 0) * 10 * mega).toBeLessThanOrEqual(mostBytes);
  });

  it("leaves some two dozen packs after 5,000 pushes, each byte copied a few times", () => {
    let all: ReturnType<typeof packs> = [];
    let [most, copied] = [0, 0];
    for (let push = 0; push < 5_000; push += 1) {
      all = [...all, pack(10_000)];
      const run = planConsolidation(all, 1);
      if (run !== undefined) {
        const bytes = run.reduce((sum, one) => sum + one.packBytes, 0);
        const at = all.indexOf(run[0] as (typeof all)[number]);
        all = [...all.slice(0, at), pack(bytes), ...all.slice(at + run.length)];
        copied += bytes;
      }
      most = Math.max(most, all.length);
    }
    expect(most).toBeLessThanOrEqual(30);
    expect(copied / (5_000 * 10_000)).toBeLessThan(12);
  });
});

describe("consolidate", () => {
  it.each(["sha1", "sha256"] as const)(
    "%s: makes one pack of many; git clones it and finds it whole",
    async (format) => {
      const { pushed, url } = await make(format);
      await pushed.push(10);
      expect(await pushed.consolidate()).toBe("consolidated");
      const root = await pushed.root();
      expect(root.packs).toMatchObject([{ source: "consolidate", objects: 30 }]);
      expect(root.v).toBe(10);
      await pushed.readAll();
      await cloneAndCheck(url);
      await pushed.push(3);
      expect(await pushed.consolidate()).toBe("consolidated");
      expect((await pushed.root()).packs).toHaveLength(1);
      await cloneAndCheck(url);
      expect(await pushed.consolidate()).toBe("nothing");
    },
  );

  it("of two at once one wins, the other takes back what it wrote", async () => {
    const { pushed } = await make();
    await pushed.push(5);
    const outcomes = await Promise.all([pushed.consolidate(), pushed.consolidate()]);
    expect(outcomes.sort()).toEqual(["consolidated", "lost"]);
    expect(await pushed.stored()).toHaveLength(6);
    await pushed.readAll();
  });

  it("takes no damaged pack into a new one", async () => {
    const { pushed } = await make();
    await pushed.push(4);
    const [first] = (await pushed.root()).packs;
    const bytes = Buffer.from(await server.forge.blobs.get(`${first?.key}.pack`));
    bytes.fill(0xff, 20, 40);
    await server.forge.blobs.put(`${first?.key}.pack`, bytes);
    processPackCaches.clear();
    await expect(pushed.consolidate()).rejects.toThrow("can't be put together");
    expect((await pushed.root()).packs).toHaveLength(4);
  });
});

describe("sweepPacks", () => {
  it("removes what was replaced a day ago, not before, and leaves a reader of the older ROOT until then", async () => {
    const { pushed } = await make();
    await pushed.push(5);
    const older = await openRepository(server.forge, pushed.id);
    await pushed.consolidate();
    server.clock.advance(packGraceMs - 1);
    expect(await pushed.sweep()).toMatchObject({ packs: 0, left: 5 });
    const packsOfOlder = await older?.packs();
    expect((await packsOfOlder?.read(pushed.tip ?? ""))?.type).toBe("commit");
    server.clock.advance(2);
    expect(await pushed.sweep()).toEqual({ packs: 5, staged: 0, left: 0 });
    expect(await pushed.stored()).toEqual(await pushed.named());
    await pushed.readAll();
    expect(await pushed.sweep()).toEqual({ packs: 0, staged: 0, left: 0 });
  });

  it("keeps packs that a fork names, until it no longer names them", async () => {
    const { pushed } = await make();
    await pushed.push(5);
    const forkId = 900_000 + pushed.id;
    expect(await forkGit(server.forge, pushed.id, forkId, () => [])).toEqual({ kind: "done" });
    await pushed.consolidate();
    server.clock.advance(packGraceMs + 1);
    expect(await pushed.sweep()).toEqual({ packs: 0, staged: 0, left: 0 });
    expect(await pushed.stored()).toHaveLength(6);
    const fork = new Pushed(server, forkId);
    fork.tip = pushed.tip;
    fork.commits.push(...pushed.commits);
    await fork.readAll();
    expect(await fork.consolidate(narrow)).toBe("nothing");
  });

  it("finds the pack of a push that was killed, and removes it a day after it was seen first", async () => {
    const { pushed } = await make();
    await pushed.push(1);
    server.faults.crashAt(2, "after");
    await pushed.push(1).catch(() => undefined);
    expect(server.faults.hasCrashed).toBe(true);
    server.faults.recover();
    expect(await pushed.stored()).toHaveLength(2);
    expect(await pushed.sweep()).toMatchObject({ packs: 0, left: 1 });
    server.clock.advance(packGraceMs + 1);
    expect(await pushed.sweep()).toMatchObject({ packs: 1, left: 0 });
    expect(await pushed.stored()).toEqual(await pushed.named());
  });

  it("takes nothing from a push that was frozen between its upload and its transaction", async () => {
    const { pushed } = await make();
    await pushed.push(1);
    const { forge } = server;
    const { transact } = forge.table;
    let isFrozen = true;
    Object.assign(forge.table, {
      async transact(...asked: Parameters<typeof transact>) {
        if (isFrozen) {
          isFrozen = false;
          await pushed.sweep();
          server.clock.advance(packGraceMs + 1);
          expect(await pushed.sweep()).toMatchObject({ packs: 1 });
        }
        return transact(...asked);
      },
    });
    await expect(pushed.push(1)).rejects.toThrow();
    Object.assign(forge.table, { transact });
    await pushed.readAll();
    expect(await pushed.stored()).toEqual(await pushed.named());
  });

  it("finds chunks of the log that a huge push has staged and never named", async () => {
    const { pushed } = await make();
    await pushed.push(1);
    for (const chunk of [1, 2]) {
      await server.forge.table.write(
        put({ ...stagedKey(pushed.id, "feed.0", chunk), changes: Buffer.from("x"), _v: 1 }),
      );
    }
    expect(await pushed.sweep()).toEqual({ packs: 0, staged: 0, left: 1 });
    server.clock.advance(packGraceMs + 1);
    expect(await pushed.sweep()).toEqual({ packs: 0, staged: 1, left: 0 });
    expect(await server.forge.table.queryAll({ pk: `R#${pushed.id}#G`, prefix: "C#" })).toEqual([]);
  });
});
