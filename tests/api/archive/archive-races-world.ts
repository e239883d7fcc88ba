import { afterAll, beforeAll } from "vitest";
import { getArchive } from "#core/code/archive";
import { openCode } from "#core/code/open";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

export let api: TestApi;
export let alice: Caller;
let repositoryId: number;

/** A process of its own, which counts the archives that it puts into the bucket and calls `before` each. */
export function processOf(before: () => Promise<void> = async () => undefined) {
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

export async function stored(ending: string): Promise<number> {
  let count = 0;
  for await (const { key } of api.forge.blobs.list("archives/")) if (key.endsWith(ending)) count += 1;
  return count;
}

/** Makes it before the tests of a file, and takes it away after them. */
export function useArchives(): void {
  beforeAll(async () => {
    api = await makeApi();
    alice = await api.makeUser({ name: "alice" });
    await makeRepository(api, alice, "project");
    await pushFiles(api, alice, "project", { files: { "a.txt": "one\n" } });
    repositoryId = (await api.call("GET", "/repos/alice/project")).json.id;
  });
  afterAll(() => api.stop());
}
