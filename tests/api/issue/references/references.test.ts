import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { issuePartition, type UserIssueRow } from "#core/issue/issue.table";
import { type Mention, mentionedIssuesOf, mentionPrefix } from "#core/reference/reference.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { addComment, emptyDeletedIssues, openIssue } from "../make.ts";

let api: TestApi;
let owner: Caller;
let reader: Caller;
let outsider: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  reader = await api.makeUser({ name: "rita" });
  outsider = await api.makeUser({ name: "otto" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner, { title: "one" });
  await openIssue(api, where, owner, { title: "two" });
});
afterAll(() => api.stop());

const full = ({ path }: TestRepository) => path.replace("/repos/", "");
const timeline = async (number: number, as: Caller | undefined = owner, place = where) =>
  (await api.call("GET", `${place.path}/issues/${number}/timeline`, { as })).json;
const types = async (number: number, as?: Caller, place?: TestRepository) =>
  (await timeline(number, as, place)).map((one: { type: string }) => one.type);
const issue = async (number: number, place = where) =>
  (await api.call("GET", `${place.path}/issues/${number}`, { as: owner })).json;
const patch = (path: string, body: object, as = owner) =>
  api.call("PATCH", `${where.path}${path}`, { as, body });
const ago = (seconds: number) =>
  new Date(api.clock.now() - seconds * 1000).toISOString().replace(/\.\d+/, "");

describe("issueCreateComment", () => {
  it("201: the issues that it names tell of it, with who wrote it and where (semantics §20.2)", async () => {
    const comment = await addComment(api, where, 1, reader, "see #2, #2 and #1, #99");
    const [entry, ...others] = await timeline(2, reader);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      type: "comment_ref",
      user: { login: "rita" },
      body: "",
      ref_action: "none",
      ref_issue: { number: 1, title: "one" },
      ref_comment: { id: comment.id, body: "see #2, #2 and #1, #99" },
      dependent_issue: null,
      created_at: comment.created_at,
    });
    expect(await types(1)).toEqual(["comment"]);
    expect((await issue(2)).comments).toBe(0);
  });

  it("201: a keyword does nothing, nor do code and #2 in a word (semantics §20.6)", async () => {
    await addComment(api, where, 1, owner, "`#2` a#2\n\n```\n#2\n```");
    expect(await types(2)).toEqual([]);
    await addComment(api, where, 1, owner, "closes #2");
    expect(await timeline(2)).toMatchObject([{ ref_action: "none" }]);
    expect((await issue(2)).state).toBe("open");
  });

  it("201: a given date becomes that of the entry and of the issue that it stands in (B-01g, B-02)", async () => {
    api.clock.advance(7_200_000);
    const date = ago(3_600);
    const comment = await addComment(api, where, 1, owner, "nothing yet");
    await patch(`/issues/comments/${comment.id}`, { body: "see #2", updated_at: date });
    expect(await timeline(2)).toMatchObject([{ created_at: date, updated_at: date }]);
    expect((await issue(2)).updated_at).toBe(date);
    const later = ago(1_800);
    await patch(`/issues/comments/${comment.id}`, { body: "nothing", updated_at: later });
    expect(await timeline(2)).toMatchObject([
      { ref_action: "neutered", created_at: date, updated_at: later },
    ]);
    expect((await issue(2)).updated_at).toBe(date);
  });

  it("201: in other repositories where its author may read, whatever the case of their names", async () => {
    const other = await makeRepository(api, owner);
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    for (const place of [other, hidden]) await openIssue(api, place, owner);
    const body = `${full(other).toUpperCase()}#1 ${full(hidden)}#1 olga/absent#1 nobody/x#1`;
    await addComment(api, where, 1, reader, body);
    expect([await types(1, owner, other), await types(1, owner, hidden)]).toEqual([["comment_ref"], []]);
    await addComment(api, where, 1, owner, body);
    expect(await types(1, owner, hidden)).toEqual(["comment_ref"]);
  });

  it("201: a token for what is public reaches no private repository", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner);
    const token = await api.makeToken(owner, ["write:issue", "public-only"]);
    await addComment(api, where, 1, { ...owner, token }, `${full(hidden)}#1`);
    expect(await types(1, owner, hidden)).toEqual([]);
  });

  it("201: nothing at issues of users who block its author", async () => {
    const other = await makeRepository(api, reader);
    await openIssue(api, other, reader);
    await api.call("PUT", "/user/blocks/otto", { as: reader });
    await addComment(api, where, 1, outsider, `${full(other)}#1 #2`);
    expect([await types(1, reader, other), await types(2)]).toEqual([[], ["comment_ref"]]);
    await api.call("DELETE", "/user/blocks/otto", { as: reader });
  });
});

describe("issueGetCommentsAndTimeline", () => {
  it("200: a reference from a private repository is for those who may read that (semantics §3.7, §48)", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner, { title: "secret", body: `${full(where)}#1` });
    expect(await timeline(1)).toMatchObject([{ type: "issue_ref", ref_issue: { title: "secret" } }]);
    for (const as of [outsider, undefined]) {
      const answer = await api.call("GET", `${where.path}/issues/1/timeline`, { as });
      expect([answer.json, answer.headers.get("x-total-count")]).toEqual([[], "0"]);
    }
    await api.call("PATCH", `${hidden.path}`, { as: owner, body: { private: false } });
    expect(await types(1, outsider)).toEqual(["issue_ref"]);
  });

  it("200: keeps what told of an issue or comment that is gone, neutered", async () => {
    const comment = await addComment(api, where, 2, owner, "#1");
    await api.call("DELETE", `${where.path}/issues/comments/${comment.id}`, { as: owner });
    expect(await timeline(1)).toMatchObject([
      { type: "comment_ref", ref_action: "neutered", ref_comment: null, ref_issue: { number: 2 } },
    ]);
    await addComment(api, where, 2, owner, "#1 again");
    await patch("/issues/2", { body: "#1" });
    await api.call("DELETE", `${where.path}/issues/2`, { as: owner });
    await emptyDeletedIssues(api);
    const gone = { ref_action: "neutered", ref_comment: null, ref_issue: null };
    expect(await timeline(1)).toMatchObject([gone, gone, { ...gone, type: "issue_ref" }]);
  });
});

describe("issueCreateIssue", () => {
  it("201: title and body refer; a keyword in an issue has no effect (semantics §20.6)", async () => {
    await openIssue(api, where, owner, { title: "after #1", body: "Fixes #2" });
    const expected = { type: "issue_ref", ref_action: "none", ref_comment: null, ref_issue: { number: 3 } };
    expect([await timeline(1), await timeline(2)]).toMatchObject([[expected], [expected]]);
    expect((await issue(2)).state).toBe("open");
  });

  it("201: addresses of this instance refer, too", async () => {
    await openIssue(api, where, owner, { body: (await issue(2)).html_url });
    expect(await types(2)).toEqual(["issue_ref"]);
  });
});

describe("issueEditIssue", () => {
  it("201: what is no longer named is neutered, what is new told, what stays is left alone", async () => {
    await openIssue(api, where, owner, { title: "three", body: "#1" });
    await openIssue(api, where, owner, { title: "four" });
    await patch("/issues/3", { body: "#1 and #2" });
    const [kept] = await timeline(1);
    await patch("/issues/3", { body: "#2 and #4" });
    expect(await timeline(1)).toMatchObject([{ id: kept.id, ref_action: "neutered" }]);
    expect(await timeline(2)).toMatchObject([{ ref_action: "none" }]);
    expect(await timeline(4)).toMatchObject([{ ref_action: "none" }]);
    await patch("/issues/3", { title: "three, see #1" });
    expect(await timeline(1)).toMatchObject([{ ref_action: "neutered" }, { ref_action: "none" }]);
  });

  it("201: a given date becomes that of the entries and of the issues that they stand in (B-01)", async () => {
    await openIssue(api, where, owner, { title: "three" });
    api.clock.advance(7_200_000);
    const date = ago(3_600);
    expect((await patch("/issues/3", { body: "#1", updated_at: date })).status).toBe(201);
    expect(await timeline(1)).toMatchObject([{ type: "issue_ref", created_at: date, updated_at: date }]);
    expect((await issue(1)).updated_at).toBe(date);
  });

  it("201: another's reference stays, though who edits may not read where it leads", async () => {
    const hidden = await makeRepository(api, reader, { isPrivate: true });
    await openIssue(api, hidden, reader);
    await openIssue(api, where, reader, { body: `${full(hidden)}#1` });
    await patch("/issues/3", { body: `${full(hidden)}#1, corrected` });
    expect(await timeline(1, reader, hidden)).toMatchObject([{ ref_action: "none" }]);
  });
});

describe("what is deleted", () => {
  it("leaves no mention behind at either end: an issue, a repository, a user", async () => {
    const boss = await api.makeUser({ isAdmin: true });
    const [mentioned, gone] = [await api.makeUser(), await api.makeUser()];
    const text = `@${mentioned.name} @${gone.name}`;
    const doomed = await makeRepository(api, owner);
    for (const place of [doomed, where]) await openIssue(api, place, owner, { body: text });
    await addComment(api, where, 1, owner, text);
    await addComment(api, where, 2, owner, text);
    const rowsOf = async ({ user: { id } }: Caller) =>
      (await api.forge.table.queryAll<UserIssueRow>(mentionedIssuesOf(id))).map(({ number }) => number);
    expect([await rowsOf(mentioned), await rowsOf(gone)]).toEqual([
      [1, 2, 3, 1],
      [1, 2, 3, 1],
    ]);
    await api.call("DELETE", `${where.path}/issues/3`, { as: owner });
    await emptyDeletedIssues(api);
    await api.call("DELETE", doomed.path, { as: owner });
    await api.call("DELETE", `/admin/users/${gone.name}`, { as: boss });
    await finishJobs(api);
    expect([await rowsOf(mentioned), await rowsOf(gone)]).toEqual([[1, 2], []]);
    const pk = issuePartition(where.repository.id, 1);
    const mirrors = await api.forge.table.queryAll<Mention>({ pk, prefix: mentionPrefix });
    expect(mirrors.map(({ userId }) => userId)).toEqual([mentioned.user.id]);
  });
});

describe("issueCheckSubscription", () => {
  it("200: mentioned users hear of the issue, until they don't want to any more (semantics §20.5)", async () => {
    const isSubscribed = async () =>
      (await api.call("GET", `${where.path}/issues/1/subscriptions/check`, { as: reader })).json.subscribed;
    expect(await isSubscribed()).toBe(false);
    await addComment(api, where, 1, owner, "@rita?");
    expect(await isSubscribed()).toBe(true);
    await api.call("DELETE", `${where.path}/issues/1/subscriptions/rita`, { as: reader });
    expect(await isSubscribed()).toBe(false);
  });
});

describe("issueListIssues", () => {
  const mentioning = async (name: string, query = "", as = owner) => {
    const answer = await api.call("GET", `${where.path}/issues?mentioned_by=${name}${query}`, { as });
    return answer.status === 200 ? answer.json.map((one: { number: number }) => one.number) : answer.status;
  };

  it("200: mentioned_by: issues whose text or comments name the user, for good; 404: nobody of the name", async () => {
    await addComment(api, where, 1, owner, "what does @RITA say?");
    await openIssue(api, where, owner, { body: "@rita, `@otto` me@otto", closed: true });
    await addComment(api, where, 2, reader, "I am @rita");
    expect(await mentioning("rita")).toEqual([1]);
    expect(await mentioning("rita", "&state=all")).toEqual([3, 1]);
    expect(await mentioning("otto", "&state=all")).toEqual([]);
    expect(await mentioning("rita", "&q=one")).toEqual([1]);
    expect(await mentioning("rita", "&q=two")).toEqual([]);
    expect(await mentioning("nobody")).toBe(404);
    await patch("/issues/3", { body: "nobody any more" });
    expect(await mentioning("rita", "&state=all")).toEqual([3, 1]);
    await api.call("DELETE", `${where.path}/issues/1`, { as: owner });
    expect(await mentioning("rita", "&state=all")).toEqual([3]);
  });

  it("200: mentioned_by: nothing is noted of users who may not read the issue", async () => {
    await api.call("PATCH", where.path, { as: owner, body: { private: true } });
    await addComment(api, where, 1, owner, "@rita @otto");
    await api.call("PUT", `${where.path}/collaborators/rita`, { as: owner, body: { permission: "read" } });
    await addComment(api, where, 2, owner, "@rita @otto");
    expect([await mentioning("rita"), await mentioning("otto")]).toEqual([[2], []]);
  });
});
