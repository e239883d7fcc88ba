import { buffer } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getArchive, openCode } from "#core/code/code";
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
  const ask = async (name: string, signal?: AbortSignal) =>
    getArchive(forge, await openCode(forge, repositoryId, signal), "project", name, signal);
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

  it("by one who leaves and one who stays: who stays is served", async () => {
    const leaving = new AbortController();
    const { forge, ask, uploads } = processOf();
    const code = await openCode(forge, repositoryId, leaving.signal);
    let asked = 0;
    const waiting = Object.create(code.history, {
      links: {
        async value() {
          while (asked < 2) await turn();
          leaving.abort(new Error("left"));
          throw leaving.signal.reason;
        },
      },
    });
    const gone = getArchive(forge, { ...code, history: waiting }, "folder", "main.zip", leaving.signal);
    const get = forge.table.get;
    forge.table.get = async (key, options) => {
      const item = await get(key, options);
      if (key.pk.startsWith("ARC#")) asked += 1;
      return item as never;
    };
    const stays = getArchive(forge, await openCode(forge, repositoryId), "folder", "main.zip");
    await expect(gone).rejects.toThrow("left");
    expect((await buffer((await stays).read())).length).toBeGreaterThan(100);
    expect(uploads).toHaveLength(1);
    await ask("main.zip");
  });
});
