import { afterAll, beforeAll } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
export let bob: Caller;
let made = 0;

export const call = (method: string, path: string, body?: object, as: Caller | undefined = alice) =>
  api.call(method, `/repos/alice/${path}`, { as, ...defined({ body }) });
export const apply = (repo: string, content: string, more: object = {}, as?: Caller) =>
  call("POST", `${repo}/diffpatch`, { content, ...more }, as);

export async function makeRepo(files: Record<string, string> = { f: "one\ntwo\nthree\n" }): Promise<string> {
  made += 1;
  const name = `r${made}`;
  await makeRepository(api, alice, name);
  await pushFiles(api, alice, name, { files });
  return name;
}
export const second = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";

/** Makes it before the tests of a file, and takes it away after them. */
export function usePatches(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  });
  afterAll(() => api.stop());
}
