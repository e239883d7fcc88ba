import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { addComment, openIssue } from "../make.ts";

let api: TestApi;
/** Writes in their own repository, which is public. */
let alice: Caller;
/** Of the other repository. */
let bob: Caller;
let boss: Caller;
let home: TestRepository;
let there: TestRepository;
const hour = 3_600_000;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
});
beforeEach(async () => {
  home = await makeRepository(api, alice);
  there = await makeRepository(api, bob);
  for (const title of ["one", "two"]) await openIssue(api, home, alice, { title });
  api.clock.advance(2 * hour);
  await openIssue(api, there, bob, { title: "younger" });
  api.clock.advance(hour);
});
afterAll(() => api.stop());

const full = ({ path }: TestRepository) => path.replace("/repos/", "");
const text = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, "Z");
const ago = (ms: number) => text(api.clock.now() - ms);
const get = async ({ path }: TestRepository, rest: string) =>
  (await api.call("GET", `${path}/issues/${rest}`, { as: alice })).json;
const allow = (permission: string) =>
  api.call("PUT", `${there.path}/collaborators/alice`, { as: bob, body: { permission } });
const dated = (entry: object, date: string) => ({ ...entry, created_at: date, updated_at: date });
const comment = async (as: Caller, body: string, date: string) => {
  const sent = { as, body: { body, updated_at: date } };
  const answer = await api.call("POST", `${home.path}/issues/1/comments`, sent);
  expect(answer.status).toBe(201);
  return answer.json;
};

describe("issueCreateComment with updated_at that refers to issues", () => {
  it("201: in its own repository entry and issue get the date (B-01g)", async () => {
    const date = ago(hour);
    await comment(alice, "see #2", date);
    expect(await get(home, "2/timeline")).toMatchObject([dated({ type: "comment_ref" }, date)]);
    expect((await get(home, "2")).updated_at).toBe(date);
  });

  it("201: in another one the entry does; the issue is touched now, not before its creation (B-02)", async () => {
    const { created_at: creation } = await get(home, "1");
    const younger = await get(there, "1");
    expect(Date.parse(creation)).toBeLessThan(Date.parse(younger.created_at));
    for (const permission of [undefined, "read", "write"]) {
      if (permission !== undefined) expect((await allow(permission)).status).toBe(204);
      api.clock.advance(60_000);
      await comment(alice, `${full(there)}#1 and #2`, creation);
      const entries = await get(there, "1/timeline");
      expect(entries.at(-1)).toMatchObject(dated({ type: "comment_ref" }, creation));
      expect((await get(there, "1")).updated_at, permission).toBe(ago(0));
      expect((await get(home, "2")).updated_at).toBe(creation);
    }
  });

  it("201: who may give dates in the other one, too, gives it to its issue: administrators of it, of the site (B-02)", async () => {
    const date = ago(hour / 2);
    await comment(boss, `${full(there)}#1`, date);
    expect((await get(there, "1")).updated_at).toBe(date);
    await allow("admin");
    const other = ago(hour / 4);
    await comment(alice, `${full(there)}#1`, other);
    expect((await get(there, "1")).updated_at).toBe(other);
    const entries = await get(there, "1/timeline");
    expect(entries).toMatchObject([date, other].map((one) => dated({ type: "comment_ref" }, one)));
  });
});

describe("issueEditComment, issueEditIssue with updated_at that refer to issues", () => {
  it("200, 201: likewise, and what is no longer named is neutered with the date (B-01g, B-02)", async () => {
    const { id } = await addComment(api, home, 1, alice, "nothing yet");
    const date = ago(2.5 * hour);
    const edits: [string, object, object][] = [
      [`/comments/${id}`, { body: `${full(there)}#1` }, { body: "nothing" }],
      ["/1", { body: `${full(there)}#1` }, { body: "nothing" }],
      ["/1", { title: `after ${full(there)}#1` }, { title: "nothing" }],
    ];
    for (const [path, change, back] of edits) {
      const edit = (body: object) => api.call("PATCH", `${home.path}/issues${path}`, { as: alice, body });
      expect((await edit({ ...change, updated_at: date })).status).toBeLessThan(202);
      const told = (await get(there, "1/timeline")).at(-1);
      expect(told).toMatchObject(dated({ ref_action: "none" }, date));
      expect((await get(there, "1")).updated_at).toBe(ago(0));
      const later = ago(hour);
      expect((await edit({ ...back, updated_at: later })).status).toBeLessThan(202);
      const neutered = { id: told.id, ref_action: "neutered", created_at: date, updated_at: later };
      expect((await get(there, "1/timeline")).at(-1)).toMatchObject(neutered);
      api.clock.advance(60_000);
    }
  });
});
