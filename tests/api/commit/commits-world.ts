import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export const ids: string[] = [];
export let side = "";
export let merge = "";

export const get = (path: string, as?: Caller) => api.call("GET", `/repos/alice/${path}`, { as });

/** Makes it before the tests of a file, and takes it away after them. */
export function useCommits(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
    await makeRepository(api, alice, "r");
    for (let at = 0; at < 5; at++) {
      const files = { [at % 2 === 0 ? "even" : "odd"]: `line ${at}\nsame\n`, "d/f": `${at}` };
      ids.push(await pushFiles(api, alice, "r", { files, seconds: 1_000 + at, email: "bob@example.com" }));
    }
    side = await pushFiles(api, alice, "r", {
      ...{ branch: "x/y", from: "main", seconds: 2_000, message: "Side\n\nBody\n" },
      files: { odd: null, "new file": "ä\n" },
    });
    merge = await pushFiles(api, alice, "r", {
      ...{
        branch: "merged",
        from: "main",
        seconds: 3_000,
        merges: [side],
        files: { "new file": "ä\n", odd: null },
      },
    });
    await pushRef(api, alice, "r", { ref: "refs/tags/v1", id: ids[0] as string });
    await makeRepository(api, alice, "empty");
  });
  afterAll(() => api.stop());
}
