import { describe, expect, it } from "vitest";
import { makeRepository } from "../../repository/make.ts";
import { addComment, openIssue } from "../make.ts";
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
});
