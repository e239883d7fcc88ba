import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;

export const base64 = (text: string) => Buffer.from(text).toString("base64");

let made = 0;
/** A repository of alice's, and its wiki. */
export async function makeWiki(options: object = {}) {
  made += 1;
  const name = `wiki-${made}`;
  const id = await makeRepository(api, alice, name, options);
  const base = `/repos/alice/${name}`;
  return {
    id,
    base,
    create: (title: string, text = "text\n", more: object = {}, as: Caller | undefined = alice) =>
      api.call("POST", `${base}/wiki/new`, {
        as,
        body: { title, content_base64: base64(text), ...more },
      }),
    edit: (page: string, body: object, as: Caller | undefined = alice) =>
      api.call("PATCH", `${base}/wiki/page/${page}`, { as, body }),
    get: (page: string, as?: Caller) => api.call("GET", `${base}/wiki/page/${page}`, { as }),
    remove: (page: string, as: Caller | undefined = alice) =>
      api.call("DELETE", `${base}/wiki/page/${page}`, { as }),
    pages: (query = "") => api.call("GET", `${base}/wiki/pages${query}`),
    revisions: (page: string, query = "") => api.call("GET", `${base}/wiki/revisions/${page}${query}`),
  };
}
export const titles = (answer: { json: { title: string }[] }) => answer.json.map(({ title }) => title);

/** Makes it before the tests of a file, and takes it away after them. */
export function useWikis(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  });
  afterAll(() => api.stop());
}
