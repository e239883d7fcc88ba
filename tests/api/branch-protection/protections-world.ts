import { afterAll, beforeAll } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";

let api: TestApi;
export let alice: Caller;
export let bob: Caller;
let made = 0;

export const call = (method: string, path: string, body?: object, as: Caller = alice) =>
  api.call(method, `/repos/alice/${path}`, { as, ...defined({ body }) });
export const protect = (repo: string, body: object) => call("POST", `${repo}/branch_protections`, body);
export const write = (repo: string, body: object, as = alice, path = "n") =>
  call("POST", `${repo}/contents/${path}`, { content: "", ...body }, as).then(({ status }) => status);
export const push = (repo: string, given: Parameters<typeof pushFiles>[3]) =>
  pushFiles(api, alice, repo, given).then(
    () => "landed",
    (error: Error) => error.message,
  );

/** Branches main (two commits) and dev; bob may write. */
export async function makeBranched(): Promise<{ name: string; first: string }> {
  made += 1;
  const name = `r${made}`;
  await makeRepository(api, alice, name);
  const first = await pushFiles(api, alice, name, { files: { f: "1", "docs/a.md": "a" } });
  await pushFiles(api, alice, name, { files: { f: "2" } });
  await pushRef(api, alice, name, { ref: "refs/heads/dev", id: first });
  await call("PUT", `${name}/collaborators/bob`, { permission: "write" });
  return { name, first };
}

/** Makes it before the tests of a file, and takes it away after them. */
export function useProtections(): void {
  beforeAll(async () => {
    api = await makeApi();
    alice = await api.makeUser({ name: "alice" });
    bob = await api.makeUser({ name: "bob" });
    await api.makeUser({ name: "carol" });
  });
  afterAll(() => api.stop());
}
