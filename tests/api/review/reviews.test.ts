import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { commitOn, makeBase, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let root: Caller;
let base: string;
let number: number;

const lines = (count: number, word = "line") =>
  Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join("");

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
  root = await api.makeUser({ name: "root", isAdmin: true });
});
afterAll(() => api.stop());

/** A repository with a request that adds new.txt and changes the middle of kept.txt; bob may write, carol may read. */
async function makePull(name: string): Promise<void> {
  base = await makeBase(api, alice, name);
  await commitOn(api, base, "main", "kept.txt", { as: alice, content: lines(20) });
  await commitOn(api, base, "topic", "new.txt", { as: alice, content: "a\nb\nc\n" });
  const { json } = await api.call("GET", `${base}/contents/kept.txt?ref=topic`, { as: alice });
  const content = Buffer.from(lines(20).replace("line 10\n", "line ten\n")).toString("base64");
  const body = { branch: "topic", sha: json.sha, content };
  await api.call("PUT", `${base}/contents/kept.txt`, { as: alice, body });
  const permission = { as: alice, body: { permission: "write" } };
  await api.call("PUT", `${base}/collaborators/bob`, permission);
  number = (await openPull(api, base, { as: alice })).number;
}

const review = (body: object, as = bob) => api.call("POST", `${base}/pulls/${number}/reviews`, { as, body });
const onReview = (method: string, id: number, path = "", as = bob, body?: object) =>
  api.call(method, `${base}/pulls/${number}/reviews/${id}${path}`, { as, body });
const list = async (as: Caller) => (await api.call("GET", `${base}/pulls/${number}/reviews`, { as })).json;
const onLine = { path: "new.txt", body: "why b", new_position: 2 };

describe("repoCreatePullReview, repoSubmitPullReview, repoGetPullReview", () => {
  it("200: a pending one is its author's alone until it is submitted, once (semantics §46.4)", async () => {
    await makePull("pending");
    const shown = async () => (await api.call("GET", `${base}/pulls/${number}`, { as: carol })).json;
    const before = await shown();
    api.clock.advance(60_000);
    const made = await review({ event: "PENDING", comments: [onLine] });
    expect(made).toMatchObject({
      status: 200,
      json: { state: "PENDING", comments_count: 1, user: { login: "bob" }, official: false },
    });
    const { id } = made.json;
    expect(await shown()).toEqual(before);
    expect([await list(carol), (await list(bob)).length, (await list(root)).length]).toEqual([[], 1, 1]);
    const total = await api.call("GET", `${base}/pulls/${number}/reviews`, { as: carol });
    expect(total.headers.get("x-total-count")).toBe("1");
    for (const path of ["", "/comments"]) {
      expect((await onReview("GET", id, path, carol)).status).toBe(404);
    }
    expect((await onReview("GET", id, "", root)).status).toBe(200);
    expect((await onReview("POST", id, "", bob, { event: "PENDING" })).status).toBe(422);
    const twice = [1, 2].map(() => onReview("POST", id, "", bob, { event: "COMMENT" }));
    const answers = await Promise.all(twice);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(answers.find(({ status }) => status === 200)?.json).toMatchObject({ id, state: "COMMENT" });
    expect(await list(carol)).toMatchObject([{ id, state: "COMMENT", comments_count: 1 }]);
    const { json } = await api.call("GET", `${base}/issues/${number}/timeline`, { as: carol });
    expect(json.filter(({ type }: { type: string }) => type === "code")).toEqual([]);
    expect(json).toContainEqual(expect.objectContaining({ type: "review", review_id: id }));
    const pull = await api.call("GET", `${base}/pulls/${number}`, { as: carol });
    expect(pull.json).toMatchObject({ review_comments: 1, comments: 0 });
  });

  it("422 for changes asked without a text, also with comments; official for writers alone", async () => {
    await makePull("verdicts");
    expect((await review({ event: "REQUEST_CHANGES", comments: [onLine] })).status).toBe(422);
    const byWriter = await review({ event: "REQUEST_CHANGES", body: "no", comments: [onLine] });
    expect(byWriter).toMatchObject({ status: 200, json: { state: "REQUEST_CHANGES", official: true } });
    const byReader = await review({ event: "REQUEST_CHANGES", body: "no" }, carol);
    expect(byReader).toMatchObject({ status: 200, json: { official: false, user: { login: "carol" } } });
    expect((await review({ event: "APPROVED" })).json).toMatchObject({ state: "APPROVED", official: true });
    const states = (await list(bob)).map((one: { state: string; official: boolean }) => [
      one.state,
      one.official,
    ]);
    expect(states).toEqual([
      ...[
        ["REQUEST_CHANGES", false],
        ["REQUEST_CHANGES", false],
        ["APPROVED", true],
      ],
    ]);
  });

  it.each([
    ["a verdict on one's own", { event: "APPROVED" }, "alice"],
    ["no text and no comments", { event: "COMMENT" }, "bob"],
    ["nothing at all", {}, "bob"],
    ["no line", { body: "x", comments: [{ path: "new.txt", body: "x" }] }, "bob"],
    ["a line that is not there", { comments: [{ ...onLine, new_position: 4 }] }, "bob"],
    ["a side that has no such file", { comments: [{ ...onLine, old_position: 1 }] }, "bob"],
    ["an unknown path", { comments: [{ ...onLine, path: "none.txt" }] }, "bob"],
    ["a folder", { comments: [{ ...onLine, path: "" }] }, "bob"],
    ["a path that only leads to a file", { comments: [{ ...onLine, path: "/new.txt" }] }, "bob"],
    ["no text of a comment", { comments: [{ ...onLine, body: " " }] }, "bob"],
    ["more comments than a review takes", { comments: Array.from({ length: 301 }, () => onLine) }, "bob"],
    ["a commit of elsewhere", { body: "x", commit_id: "1".repeat(40) }, "bob"],
    ["no commit", { body: "x", commit_id: "main" }, "bob"],
  ])("422: %s", async (_title, body, name) => {
    expect((await review(body, name === "alice" ? alice : bob)).status).toBe(422);
  });

  it("413: 10,000 comments", async () => {
    const comments = Array.from({ length: 10_000 }, () => onLine);
    expect((await review({ event: "COMMENT", comments })).status).toBe(413);
  });

  it("200 for 60 comments, in several transactions; nothing is left when it is deleted", async () => {
    await makePull("many");
    const comments = Array.from({ length: 60 }, (_, at) => ({ ...onLine, body: `c${at}` }));
    const { json } = await review({ event: "COMMENT", comments });
    expect(json).toMatchObject({ comments_count: 60, state: "COMMENT" });
    const all = (await onReview("GET", json.id, "/comments", carol)).json;
    expect(all.map(({ body }: { body: string }) => body)).toEqual(comments.map(({ body }) => body));
    expect((await onReview("DELETE", json.id, "", carol)).status).toBe(403);
    expect((await onReview("DELETE", json.id)).status).toBe(204);
    expect(await list(bob)).toEqual([]);
    const one = await onReview("GET", json.id, `/comments/${all[0].id}`, carol);
    const pull = await api.call("GET", `${base}/pulls/${number}`, { as: carol });
    expect([one.status, pull.json.review_comments]).toEqual([404, 0]);
    const { json: told } = await api.call("GET", `${base}/issues/${number}/timeline`, { as: carol });
    expect(told.filter(({ type }: { type: string }) => type === "review")).toEqual([]);
  });

  it("403 for non-writers while the conversation is locked, and for users whom the owner blocks", async () => {
    await makePull("locked");
    await api.call("PUT", `${base}/issues/${number}/lock`, { as: alice, body: {} });
    expect((await review({ event: "COMMENT", body: "x" }, carol)).status).toBe(403);
    expect((await review({ event: "COMMENT", body: "x" }, bob)).status).toBe(200);
    await api.call("DELETE", `${base}/issues/${number}/lock`, { as: alice });
    await api.call("PUT", "/user/blocks/carol", { as: alice });
    expect((await review({ event: "COMMENT", body: "x" }, carol)).status).toBe(403);
    await api.call("DELETE", "/user/blocks/carol", { as: alice });
  });
});

/** What comments on lines have. */
const aboutComments = [
  ...["repoGetPullReviewComments", "repoGetPullReviewComment", "repoCreatePullReviewComment"],
  ...["repoDeletePullReviewComment", "repoCreatePullReviewCommentReply"],
];

describe(aboutComments.join(", "), () => {
  it("200: lines of either side with the hunk before them (semantics §46.4)", async () => {
    await makePull("lines");
    const comments = [
      { path: "new.txt", body: "1", new_position: 2, old_position: null },
      { path: "kept.txt", body: "2", old_position: 3 },
      { path: "kept.txt", body: "3", old_position: 10, new_position: 1 },
      { path: "kept.txt", body: "4", new_position: 10 },
      { path: "README.md", body: "5", new_position: 1 },
    ];
    const { json } = await review({ event: "COMMENT", comments });
    const { json: found } = await onReview("GET", json.id, "/comments", carol);
    expect(found).toMatchObject([
      { position: 2, original_position: 0, diff_hunk: "@@ -0,0 +1,2 @@\n+a\n+b", resolver: null },
      { position: 0, original_position: 3, diff_hunk: "@@ -1,3 +1,3 @@\n line 1\n line 2\n line 3" },
      {
        ...{ position: 0, original_position: 10 },
        diff_hunk: "@@ -7,4 +7,3 @@\n line 7\n line 8\n line 9\n-line 10",
      },
      {
        position: 10,
        diff_hunk: "@@ -7,4 +7,4 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten",
      },
      { path: "README.md", position: 1, diff_hunk: "", user: { login: "bob" } },
    ]);
    expect(found[0].pull_request_review_id).toBe(json.id);
  });

  it("200, 201, 204: readers answer submitted reviews; a writer removes what others wrote", async () => {
    await makePull("answers");
    const pending = (await review({ event: "PENDING", comments: [onLine] })).json.id;
    const add = (as: Caller) => onReview("POST", pending, "/comments", as, { ...onLine, body: "more" });
    expect([(await add(carol)).status, (await add(root)).status, (await add(bob)).status]).toEqual([
      404, 403, 200,
    ]);
    const [first] = (await onReview("GET", pending, "/comments")).json;
    const reply = (as: Caller) =>
      api.call("POST", `${base}/pulls/${number}/comments/${first.id}/replies`, { as, body: { body: "so" } });
    expect((await reply(carol)).status).toBe(404);
    await onReview("POST", pending, "", bob, { event: "COMMENT" });
    expect(await reply(carol)).toMatchObject({
      status: 201,
      json: {
        body: "so",
        path: "new.txt",
        position: 2,
        pull_request_review_id: pending,
        user: { login: "carol" },
      },
    });
    expect((await add(carol)).status).toBe(200);
    const remove = (as: Caller) => onReview("DELETE", pending, `/comments/${first.id}`, as);
    expect(await remove(carol)).toMatchObject({ status: 403, text: "" });
    expect((await remove(alice)).status).toBe(204);
    expect((await remove(alice)).status).toBe(404);
    const pull = await api.call("GET", `${base}/pulls/${number}`, { as: carol });
    expect(pull.json.review_comments).toBe(3);
    const { json } = await api.call("GET", `${base}/issues/${number}/timeline`, { as: carol });
    const told = json.find(({ type }: { type: string }) => type === "review");
    expect((await onReview("DELETE", pending, `/comments/${told.id}`, alice)).status).toBe(204);
    expect((await onReview("GET", pending)).json.comments_count).toBe(3);
  });
});

describe("repoResolvePullReviewComment, repoUnresolvePullReviewComment", () => {
  it("204 for the author of the request and writers; 403 for others", async () => {
    await makePull("resolved");
    const { json } = await review({ event: "COMMENT", comments: [onLine] }, carol);
    const [{ id }] = (await onReview("GET", json.id, "/comments")).json;
    const call = async (what: string, as: Caller) =>
      (await api.call("POST", `${base}/pulls/comments/${id}/${what}`, { as })).status;
    expect([await call("resolve", carol), await call("resolve", alice), await call("resolve", bob)]).toEqual([
      ...[403, 204, 204],
    ]);
    const shown = async () => (await onReview("GET", json.id, `/comments/${id}`, carol)).json.resolver;
    expect(await shown()).toMatchObject({ login: "alice" });
    expect(await call("unresolve", bob)).toBe(204);
    expect(await shown()).toBeNull();
    expect((await api.call("POST", `${base}/pulls/comments/999/resolve`, { as: bob })).status).toBe(404);
  });
});

describe("repoDismissPullReview, repoUnDismissPullReview", () => {
  it("200 for administrators of the repository, for verdicts on open requests (semantics §46.4)", async () => {
    await makePull("dismissed");
    const first = (await review({ event: "REQUEST_CHANGES", body: "no" })).json.id;
    const { id } = (await review({ event: "APPROVED" })).json;
    const comment = (await review({ event: "COMMENT", body: "hm" })).json.id;
    const dismiss = (one: number, as = alice, body: object = { message: "old" }) =>
      onReview("POST", one, "/dismissals", as, body);
    expect([(await dismiss(id, bob)).status, (await dismiss(comment)).status]).toEqual([403, 403]);
    expect(await dismiss(id)).toMatchObject({ status: 200, json: { id, dismissed: true, official: true } });
    const { json } = await api.call("GET", `${base}/issues/${number}/timeline`, { as: carol });
    expect(json).toContainEqual(
      expect.objectContaining({ type: "dismiss_review", body: "old", review_id: id }),
    );
    expect((await onReview("POST", id, "/undismissals", bob)).status).toBe(403);
    expect(await onReview("POST", id, "/undismissals", alice)).toMatchObject({
      ...{ status: 200, json: { dismissed: false } },
    });
    await dismiss(id, alice, { priors: true });
    expect((await onReview("GET", first)).json.dismissed).toBe(true);
    await api.call("PATCH", `${base}/pulls/${number}`, { as: alice, body: { state: "closed" } });
    expect((await dismiss(first)).status).toBe(403);
    expect((await onReview("POST", id, "/undismissals", alice)).status).toBe(403);
  });
});

describe("repoListPullReviews, repoDeletePullReview", () => {
  it("204: all that its timeline tells of a review goes with it, its dismissals too (semantics §46.2)", async () => {
    await makePull("forgotten");
    const { id } = (await review({ event: "APPROVED", comments: [onLine] })).json;
    for (const path of ["/dismissals", "/undismissals", "/dismissals"]) {
      await onReview("POST", id, path, alice, path === "/undismissals" ? undefined : {});
    }
    const other = (await review({ event: "APPROVED" }, carol)).json;
    await onReview("POST", other.id, "/dismissals", alice, {});
    const told = async () => {
      const { json } = await api.call("GET", `${base}/issues/${number}/timeline`, { as: carol });
      return json.map((one: { type: string; review_id: number }) => [one.type, one.review_id]);
    };
    expect((await told()).length).toBe(5);
    expect((await onReview("DELETE", id)).status).toBe(204);
    expect(await told()).toEqual([
      ["review", other.id],
      ["dismiss_review", other.id],
    ]);
    const { json } = await api.call("GET", base, { as: alice });
    expect(await checkRepository(api.forge, json.id)).toEqual([]);
  });

  it("pages with a total; 404 of another request, 204 for one's own", async () => {
    await makePull("listed");
    const ids: number[] = [];
    for (const body of ["1", "2", "3"]) ids.push((await review({ event: "COMMENT", body }, carol)).json.id);
    const page = await api.call("GET", `${base}/pulls/${number}/reviews?limit=2&page=2`, { as: bob });
    expect([page.json.map(({ id }: { id: number }) => id), page.headers.get("x-total-count")]).toEqual([
      ...[[ids[2]], "3"],
    ]);
    await commitOn(api, base, "other", "o.txt", { as: alice });
    const other = await openPull(api, base, { as: alice, head: "other" });
    const there = await api.call("GET", `${base}/pulls/${other.number}/reviews/${ids[0]}`, { as: bob });
    expect(there.status).toBe(404);
    expect((await onReview("DELETE", ids[0] as number, "", bob)).status).toBe(403);
    expect((await onReview("DELETE", ids[0] as number, "", root)).status).toBe(204);
    expect((await onReview("DELETE", ids[1] as number, "", carol)).status).toBe(204);
    expect((await list(bob)).length).toBe(1);
  });
});
