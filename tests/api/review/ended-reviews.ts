import { afterAll, beforeAll, expect } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { commitOn, makeBase, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";

/** For the file that calls it: a reviewed request for each test, and who removes users. */
export function endedReviews() {
  const api = {} as TestApi;
  const root = {} as Caller;
  const alice = {} as Caller;
  const bob = {} as Caller;

  const place = {} as { base: string; baseId: number };

  beforeAll(async () => {
    Object.assign(api, await makeApi());
    Object.assign(root, await api.makeUser({ name: "root", isAdmin: true }));
    Object.assign(alice, await api.makeUser({ name: "alice" }));
    Object.assign(bob, await api.makeUser({ name: "bob" }));
  });
  afterAll(() => api.stop());

  const get = async (path: string, as = alice) => (await api.call("GET", path, { as })).json;
  const onLine = { path: "new.txt", body: "why", new_position: 1 };
  const review = async (body: object, as: Caller) =>
    (await api.call("POST", `${place.base}/pulls/1/reviews`, { as, body })).json;

  /** A request that bob reviewed; another user reviewed it, too, answered bob, is asked and has a pending review. */
  async function makeReviewed(name: string): Promise<Caller> {
    const other = await api.makeUser({ name: `${name}-user` });
    place.base = await makeBase(api, alice, name);
    place.baseId = (await get(place.base)).id;
    await commitOn(api, place.base, "topic", "new.txt", { as: alice });
    await openPull(api, place.base, { as: alice });
    const { id } = await review({ event: "COMMENT", comments: [onLine] }, bob);
    const [comment] = await get(`${place.base}/pulls/1/reviews/${id}/comments`);
    const reply = { as: other, body: { body: "so" } };
    await api.call("POST", `${place.base}/pulls/1/comments/${comment.id}/replies`, reply);
    await review({ event: "APPROVED", comments: [onLine] }, other);
    await review({ event: "PENDING", comments: [onLine] }, other);
    const ask = { as: alice, body: { reviewers: [other.name] } };
    await api.call("POST", `${place.base}/pulls/1/requested_reviewers`, ask);
    expect(await checkRepository(api.forge, place.baseId)).toEqual([]);
    expect((await get(`${place.base}/pulls/1`)).review_comments).toBe(3);
    return other;
  }

  async function removeUser({ name }: Caller, query = ""): Promise<void> {
    const { status } = await api.call("DELETE", `/admin/users/${name}${query}`, { as: root });
    expect(status).toBe(204);
    api.settle();
    await finishJobs(api);
  }

  const states = async () =>
    (await get(`${place.base}/pulls/1/reviews`, root)).map(
      (one: { state: string; user: { login: string } }) => [one.state, one.user.login],
    );

  return { api, alice, place, get, makeReviewed, removeUser, states };
}
