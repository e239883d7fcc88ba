import { afterAll, beforeAll } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
let made = 0;

export const call = (method: string, path: string, body?: object, as: Caller = alice) =>
  api.call(method, `/repos/alice/${path}`, { as, ...defined({ body }) });
export const protect = (repo: string, body: object, as = alice) =>
  call("POST", `${repo}/tag_protections`, body, as);

/** A repository with a commit; bob may write. */
export async function makeRepo(): Promise<{ name: string; first: string }> {
  made += 1;
  const name = `r${made}`;
  await makeRepository(api, alice, name);
  const first = await pushFiles(api, alice, name, { files: { f: "1" } });
  await call("PUT", `${name}/collaborators/bob`, { permission: "write" });
  return { name, first };
}

/** Makes it before the tests of a file, and takes it away after them. */
export function useTagProtections(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  });
  afterAll(() => api.stop());
}
