import { buffer } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getArchive } from "#core/code/archive";
import { openCode } from "#core/code/open";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let repositoryId: number;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  await makeRepository(api, alice, "project");
  await pushFiles(api, alice, "project", { files: { "a.txt": "one\n" } });
  repositoryId = (await api.call("GET", "/repos/alice/project")).json.id;
});
afterAll(() => api.stop());

/** A process of its own, which counts the archives that it puts into the bucket and calls `before` each. */
function processOf(before: () => Promise<void> = async () => undefined) {
  const uploads: string[] = [];
  const blobs = {
    ...api.forge.blobs,
    async putFile(key: string, path: string) {
      uploads.push(key);
      await before();
      return api.forge.blobs.putFile(key, path);
    },
  };
  const forge: Forge = { ...api.forge, blobs, table: { ...api.forge.table } };
  const ask = async (asked: string, signal?: AbortSignal, caller = "network 192.0.2.1") =>
    getArchive(forge, await openCode(forge, repositoryId, signal), {
      ...{ folder: "project", asked, caller },
      ...defined({ signal }),
    });
  return { uploads, forge, ask };
}

async function stored(ending: string): Promise<number> {
  let count = 0;
  for await (const { key } of api.forge.blobs.list("archives/")) if (key.endsWith(ending)) count += 1;
  return count;
}

describe("getArchive asked for at once (OP-repoGetArchive)", () => {
  it("by several callers of one process is made once", async () => {
    const { uploads, ask } = processOf();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask("main.zip")));
    expect([uploads.length, await stored(".zip")]).toEqual([1, 1]);
    const bytes = await Promise.all(answers.map(({ read }) => buffer(read())));
    for (const one of bytes) expect(one.equals(bytes[0] as Buffer)).toBe(true);
  });

  it("by two processes leaves one object, which both give out", async () => {
    let arrived = 0;
    const both = async () => {
      arrived += 1;
      while (arrived < 2) await turn();
    };
    const [one, other] = [processOf(both), processOf(both)];
    const [first, second] = await Promise.all([one.ask("main.tar.gz"), other.ask("main.tar.gz")]);
    expect([one.uploads.length, other.uploads.length, await stored(".tar.gz")]).toEqual([1, 1, 1]);
    expect((await buffer(first.read())).equals(await buffer(second.read()))).toBe(true);
    await processOf().ask("main.tar.gz");
    expect(await stored(".tar.gz")).toBe(1);
  });

  it("by one who leaves midway: it is made to its end, and who asks again is given it", async () => {
    const leaving = new AbortController();
    const { ask, uploads } = processOf(async () => leaving.abort(new Error("left")));
    await pushFiles(api, alice, "project", { branch: "midway", from: "main", files: { "b.txt": "x" } });
    await expect(ask("midway.zip", leaving.signal)).rejects.toThrow("left");
    expect((await buffer((await ask("midway.zip")).read())).length).toBeGreaterThan(100);
    expect(uploads).toHaveLength(1);
  });

  it("by one caller for many: one after the other, and more than a few are refused (429)", async () => {
    let [atOnce, most] = [0, 0];
    const { ask } = processOf(async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      for (let turns = 0; turns < 5; turns += 1) await turn();
      atOnce -= 1;
    });
    const branches = Array.from({ length: 20 }, (_, at) => `many-${at}`);
    for (const branch of branches) {
      await pushFiles(api, alice, "project", { branch, from: "main", files: { "c.txt": branch } });
    }
    const answers = await Promise.allSettled(branches.map((branch) => ask(`${branch}.zip`)));
    const refused = answers.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused.map(({ code }) => code)).toEqual(Array(3).fill("rate-limited"));
    expect(most).toBe(1);
  });
});
