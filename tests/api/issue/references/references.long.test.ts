import { describe, expect, it } from "vitest";
import { issuePartition, type UserIssueRow } from "#core/issue/issue.table";
import { type Mention, mentionedIssuesOf, mentionPrefix } from "#core/reference/reference.table";
import type { Caller } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { makeRepository } from "../../repository/make.ts";
import { addComment, emptyDeletedIssues, openIssue } from "../make.ts";
import {
  api,
  full,
  issue,
  mentioning,
  outsider,
  owner,
  patch,
  reader,
  timeline,
  types,
  useReferences,
  where,
} from "./references-world.ts";

useReferences();

const ago = (seconds: number) =>
  new Date(api.clock.now() - seconds * 1000).toISOString().replace(/\.\d+/, "");

describe("issueCreateComment", () => {
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

describe("issueEditIssue", () => {
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

describe("issueListIssues", () => {
  it("200: mentioned_by: nothing is noted of users who may not read the issue", async () => {
    await api.call("PATCH", where.path, { as: owner, body: { private: true } });
    await addComment(api, where, 1, owner, "@rita @otto");
    await api.call("PUT", `${where.path}/collaborators/rita`, { as: owner, body: { permission: "read" } });
    await addComment(api, where, 2, owner, "@rita @otto");
    expect([await mentioning("rita"), await mentioning("otto")]).toEqual([[2], []]);
  });
});
