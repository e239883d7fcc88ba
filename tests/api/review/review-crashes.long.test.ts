import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { resendOverdue } from "#core/events/outbox";
import { sweepPacks } from "#core/git/store/maintain/sweep-packs";
import { checkRepository } from "#core/lifecycle/check/check";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type PullRepositories, pullRepositories } from "#tests/api/pull/pull-repositories";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { pushRef } from "#tests/support/code";
import { killedAtEverySecond, recovered } from "#tests/support/race/killed-at-each";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let base: string;
let baseId: number;
let repositories: PullRepositories;
let requests = 0;
let repositoriesMade = 0;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await api.makeUser({ name: "carol" });
  repositories = pullRepositories(api, alice);
});
afterAll(() => api.stop());

/** Each act has a repository of its own, which is looked at as a whole after each kill. */
beforeEach(async () => {
  repositoriesMade += 1;
  base = await repositories.make(`killed-${repositoriesMade}`);
  baseId = (await call("GET", "", alice)).id;
  await call("PUT", "/collaborators/bob", alice, { permission: "write" });
  await call("POST", "/branch_protections", alice, { rule_name: "main", dismiss_stale_approvals: true });
  await call("POST", "/issues", alice, { title: "named by reviews" });
});

const call = async (method: string, path: string, as: Caller, body?: object) =>
  (await api.call(method, `${base}${path}`, { as, ...(body && { body }) })).json;
const work = () => api.queues.drain("repository-events", (one) => repositoryEventsWorker(api.forge, one));

/** A request of alice's that adds `<head>.txt`. */
interface Request {
  readonly head: string;
  readonly pull: string;
  readonly onLine: { readonly path: string; readonly body: string; readonly new_position: number };
  /** A review of bob's, where the act needs one. */
  readonly reviewId: number;
  readonly commentId: number;
}

async function makeRequest(event?: string): Promise<Request> {
  requests += 1;
  const head = `head-${requests}`;
  await repositories.commitOn(base, head, `${head}.txt`);
  const pull = `/pulls/${await repositories.open(base, head)}`;
  const onLine = { path: `${head}.txt`, body: "see #1, @carol", new_position: 1 };
  const comments = [onLine, { ...onLine, body: "more" }];
  const given = { event, body: "text", comments };
  const reviewId = event === undefined ? 0 : (await call("POST", `${pull}/reviews`, bob, given)).id;
  const [comment] = event === undefined ? [] : await call("GET", `${pull}/reviews/${reviewId}/comments`, bob);
  return { head, pull, onLine, reviewId, commentId: comment?.id ?? 0 };
}

type Act = (request: Request) => Promise<unknown>;
/** What a request shows of its reviews to others than their author. */
async function outcomeOf({ pull }: Request): Promise<unknown> {
  const reviews: object[] = await call("GET", `${pull}/reviews`, alice);
  const { review_comments: comments, requested_reviewers: asked } = await call("GET", pull, alice);
  const timeline: { type: string }[] = await call(
    "GET",
    `${pull.replace("pulls", "issues")}/timeline`,
    alice,
  );
  const shown = reviews.map((one) => {
    const { state, official, dismissed, stale, comments_count: count, body } = one as Record<string, unknown>;
    return { state, official, dismissed, stale, count, body };
  });
  return { shown, comments, asked: asked.length, types: timeline.map(({ type }) => type) };
}

const on = (path: (request: Request) => string, method: string, body?: (request: Request) => object): Act => {
  return (request) =>
    call(method, request.pull + path(request), method === "DELETE" && body ? alice : bob, body?.(request));
};
const ofReview =
  (path = "") =>
  ({ reviewId }: Request) =>
    `/reviews/${reviewId}${path}`;

/** Each act on a request that bob has reviewed so. */
const acts: readonly (readonly [string, string | undefined, Act])[] = [
  [
    "approves with 25 comments",
    undefined,
    on(
      () => "/reviews",
      "POST",
      ({ onLine }) => ({
        event: "APPROVED",
        comments: Array.from({ length: 25 }, (_, at) => ({ ...onLine, body: at === 0 ? "see #1" : `${at}` })),
      }),
    ),
  ],
  ["submits a pending review", "PENDING", on(ofReview(), "POST", () => ({ event: "APPROVED", body: "yes" }))],
  ["adds a comment", "COMMENT", on(ofReview("/comments"), "POST", ({ onLine }) => onLine)],
  [
    "removes a comment",
    "COMMENT",
    on((one) => `/reviews/${one.reviewId}/comments/${one.commentId}`, "DELETE"),
  ],
  ["removes a review", "APPROVED", on(ofReview(), "DELETE")],
  [
    "dismisses a review",
    "APPROVED",
    ({ pull, reviewId }) => call("POST", `${pull}/reviews/${reviewId}/dismissals`, alice, { message: "old" }),
  ],
  [
    "asks for reviews",
    "APPROVED",
    ({ pull }) => call("POST", `${pull}/requested_reviewers`, alice, { reviewers: ["bob", "carol"] }),
  ],
  [
    "pushes to a head whose approval that dismisses",
    "APPROVED",
    async ({ head, pull }) => {
      await repositories.commitOn(base, head, `${head}.txt`, { content: "other\n" });
      await call("GET", pull, bob);
    },
  ],
];

describe("a process that is killed while somebody", () => {
  it.each(acts)(
    "%s leaves all or nothing, or a part that the same call completes",
    async (what, event, act) => {
      const undisturbed = await makeRequest(event);
      await act(undisturbed);
      await work();
      const once = await outcomeOf(undisturbed);
      const parts = new Set<string>();
      await killedAtEverySecond(async (write, when) => {
        const request = await makeRequest(event);
        await work();
        const before = await outcomeOf(request);
        api.faults.crashAt(write, when);
        await act(request).catch(() => undefined);
        const killed = recovered(api.faults);
        api.clock.advance(31_000);
        await resendOverdue(api.forge);
        await work();
        await sweepPacks(api.forge, baseId); // as the weekly job does: a kill leaves a pack that nothing names
        expect([write, await checkRepository(api.forge, baseId)]).toEqual([write, []]);
        const after = await outcomeOf(request);
        if (isDeepStrictEqual(after, before) || isDeepStrictEqual(after, once)) return killed;
        parts.add(what);
        await act(request);
        expect([write, await outcomeOf(request)]).toEqual([write, once]);
        return killed;
      });
      expect(await outcomeOf(undisturbed)).toEqual(once);
      expect([[], ["removes a review"]]).toContainEqual([...parts]);
    },
  );

  it("pushes to refs/for leaves a request and its ref, or neither", async () => {
    const seen = new Set<number>();
    await killedAtEverySecond(async (write, when) => {
      const { head } = await makeRequest();
      const { commit } = await call("GET", `/branches/${head}`, alice);
      await work();
      const openNow = async () =>
        (await api.call("GET", `${base}/pulls?state=open&limit=1`, { as: alice })).headers.get(
          "x-total-count",
        );
      const before = Number(await openNow());
      api.faults.crashAt(write, when);
      const pushing = pushRef(api, alice, `killed-${repositoriesMade}`, {
        ref: `refs/for/main/${head}`,
        id: commit.id,
      });
      await pushing.catch(() => undefined);
      const killed = recovered(api.faults);
      api.clock.advance(31_000);
      await resendOverdue(api.forge);
      await work();
      seen.add(Number(await openNow()) - before);
      expect([write, await checkRepository(api.forge, baseId)]).toEqual([write, []]);
      return killed;
    });
    expect(seen).toEqual(new Set([0, 1]));
  });
});
