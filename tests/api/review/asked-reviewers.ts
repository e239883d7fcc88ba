import { afterAll, beforeAll, expect } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { commitOn, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

/** For the file that calls it: a repository of acme's with three requests and an issue. */
export function askedReviewers() {
  const base = "/repos/acme/tools";
  const api = {} as TestApi;
  const alice = {} as Caller;
  const bob = {} as Caller;
  const carol = {} as Caller;

  const ids = {} as { baseId: number };

  beforeAll(async () => {
    Object.assign(api, await makeApi());
    Object.assign(alice, await api.makeUser({ name: "alice" }));
    Object.assign(bob, await api.makeUser({ name: "bob" }));
    Object.assign(carol, await api.makeUser({ name: "carol" }));
    await post("/orgs", { username: "acme" });
    const made = await post("/orgs/acme/repos", { name: "tools", auto_init: true });
    ids.baseId = made.id;
    for (const head of ["one", "two", "three"]) {
      await commitOn(api, base, head, `${head}.txt`, { as: alice });
      await openPull(api, base, { as: alice, head, title: head });
    }
    await post(`${base}/issues`, { title: "an issue" });
  });
  afterAll(() => api.stop());

  const post = async (path: string, body: object, as = alice) =>
    (await api.call("POST", path, { as, body })).json;

  /** The titles found, and the total. */
  async function find(query: string, as: Caller): Promise<[string[], string | null]> {
    const { json, headers } = await api.call("GET", `/repos/issues/search?state=all&${query}`, { as });
    return [json.map(({ title }: { title: string }) => title), headers.get("x-total-count")];
  }
  const review = (number: number, body: object, as: Caller) =>
    post(`${base}/pulls/${number}/reviews`, body, as);
  const ask = (number: number, body: object) => post(`${base}/pulls/${number}/requested_reviewers`, body);
  const isSound = async () => expect(await checkRepository(api.forge, ids.baseId)).toEqual([]);

  return { base, api, alice, bob, carol, post, find, review, ask, isSound };
}
