import { afterAll, beforeAll } from "vitest";
import { defined } from "#core/defined";
import { executableMode, symlinkMode } from "#core/git/format/tree";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
let made = 0;

/** Holds the result of `makeFilled`, for tests that change nothing. */
export let still: string;

export const base64 = (text: string) => Buffer.from(text).toString("base64");
export const call = (method: string, path: string, body?: object, as: Caller | undefined = alice) =>
  api.call(method, `/repos/alice/${path}`, { as, ...defined({ body }) });
export const raw = (path: string) =>
  call("GET", path).then(({ status, text }) => (status === 200 ? text : status));

/** A repository with a file, a folder, an executable and a link; answers its name and id. */
export async function makeFilled(options: object = {}): Promise<{ name: string; id: number }> {
  made += 1;
  const name = `r${made}`;
  const id = await makeRepository(api, alice, name, options);
  const files = {
    "README.md": "one\n",
    "d/f": "f\n",
    "run.sh": { mode: executableMode, text: "#!/bin/sh\n" },
    link: { mode: symlinkMode, text: "README.md" },
  };
  await pushFiles(api, alice, name, { files });
  return { name, id };
}

/** Makes it before the tests of a file, and takes it away after them. */
export function useFiles(): void {
  beforeAll(async () => {
    api = await makeApi();
    alice = await api.makeUser({ name: "alice", fullName: "Alice L" });
    bob = await api.makeUser({ name: "bob" });
    still = (await makeFilled()).name;
  });
  afterAll(() => api.stop());
}
