import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { commentClearingKind } from "#core/comment/clear";
import { issuePartition } from "#core/issue/issue.table";
import { reactionPrefix } from "#core/reaction/reaction.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { runJobs } from "#tests/support/jobs";
import { addComment, openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";

let api: TestApi;
let owner: Caller;
let author: Caller;
let reader: Caller;
let where: TestRepository;
let onComment: string;
const onIssue = "/issues/1/reactions";

beforeAll(async () => {
  api = await makeApi({ settings: { CUSTOM_EMOJIS: "parrot" } });
  owner = await api.makeUser({ name: "olga" });
  author = await api.makeUser({ name: "arno" });
  reader = await api.makeUser({ name: "rita" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await openIssue(api, where, author);
  onComment = `/issues/comments/${(await addComment(api, where, 1, author)).id}/reactions`;
});
afterAll(() => api.stop());

const call = (method: string, path: string, as: Caller | undefined, content?: string) =>
  api.call(method, `${where.path}${path}`, { as, ...(content === undefined ? {} : { body: { content } }) });
const react = (path: string, content: string, as = reader) => call("POST", path, as, content);
const contents = async (path: string) =>
  (await call("GET", path, undefined)).json.map((one: { content: string }) => one.content);
const storedReactions = () =>
  api.forge.table.queryAll({ pk: issuePartition(where.repository.id, 1), prefix: reactionPrefix });

/** The common tests of reactions on issues and on comments. */
function describeReactions(ids: { list: string; post: string; remove: string }, path: () => string): void {
  describe(ids.list, () => {
    it("200: oldest first, with who and when; empty where there is none", async () => {
      expect((await call("GET", path(), undefined)).json).toEqual([]);
      await react(path(), "heart");
      api.clock.advance(2_000);
      await react(path(), "+1", author);
      const { json, headers } = await call("GET", path(), undefined);
      expect(json).toMatchObject([
        { content: "heart", user: { login: "rita" } },
        { content: "+1", user: { login: "arno" } },
      ]);
      expect(Date.parse(json[1].created_at) - Date.parse(json[0].created_at)).toBe(2_000);
      expect(headers.get("x-total-count")).toBe("2");
      const page = await call("GET", `${path()}?limit=1&page=2`, undefined);
      expect(page.json).toMatchObject([{ content: "+1" }]);
    });
  });

  it(`${ids.list}: 200: those of one second in the order in which they came`, async () => {
    await react(path(), "heart");
    api.clock.advance(2);
    await react(path(), "+1");
    api.clock.advance(2);
    await react(path(), "heart", author);
    expect(await contents(path())).toEqual(["heart", "+1", "heart"]);
  });

  describe(ids.post, () => {
    it("201, again 200: of each content one of each user, also of two at once", async () => {
      const both = await Promise.all([react(path(), "heart"), react(path(), "heart")]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
      expect((await react(path(), "heart")).status).toBe(200);
      expect((await react(path(), "parrot")).status).toBe(201);
      expect((await contents(path())).sort()).toEqual(["heart", "parrot"]);
    });

    it("403: what the instance does not know, and no content at all", async () => {
      for (const content of ["foo", "", "HEART", "heart/1", "x".repeat(3_000)]) {
        expect((await react(path(), content)).status, content.slice(0, 9)).toBe(403);
      }
      expect((await call("POST", path(), reader)).status).toBe(403);
      expect(await contents(path())).toEqual([]);
    });

    it("403: a locked conversation, for all but writers", async () => {
      await react(path(), "eyes");
      await api.call("PUT", `${where.path}/issues/1/lock`, { as: owner });
      expect((await react(path(), "heart")).status).toBe(403);
      expect((await call("DELETE", path(), reader, "eyes")).status).toBe(403);
      expect((await react(path(), "heart", owner)).status).toBe(201);
    });

    it("403: whom the repository's owner or the author blocks", async () => {
      for (const blocker of [owner, author]) {
        await api.call("PUT", "/user/blocks/rita", { as: blocker });
        expect((await react(path(), "heart")).status, blocker.name).toBe(403);
        await api.call("DELETE", "/user/blocks/rita", { as: blocker });
      }
      expect((await react(path(), "heart")).status).toBe(201);
    });
  });

  describe(ids.remove, () => {
    it("200 without a body: one's own alone, also when there is none", async () => {
      await react(path(), "heart");
      await react(path(), "heart", author);
      for (const content of ["heart", "heart", "foo", "x".repeat(3_000)]) {
        const answer = await call("DELETE", path(), reader, content);
        expect([answer.status, answer.text]).toEqual([200, ""]);
      }
      expect((await call("GET", path(), undefined)).json).toMatchObject([{ user: { login: "arno" } }]);
    });
  });
}

describeReactions(
  { list: "issueGetIssueReactions", post: "issuePostIssueReaction", remove: "issueDeleteIssueReaction" },
  () => onIssue,
);
describeReactions(
  {
    list: "issueGetCommentReactions",
    post: "issuePostCommentReaction",
    remove: "issueDeleteCommentReaction",
  },
  () => onComment,
);

describe("reactions", () => {
  it("stay apart: those on an issue from those on its comments", async () => {
    await react(onIssue, "heart");
    await react(onComment, "eyes");
    expect([await contents(onIssue), await contents(onComment)]).toEqual([["heart"], ["eyes"]]);
  });

  it("404: no such issue or comment, and a comment of another repository", async () => {
    const other = await makeRepository(api, owner);
    for (const path of ["/issues/9/reactions", "/issues/comments/99999/reactions"]) {
      expect((await call("GET", path, reader)).status, path).toBe(404);
      expect((await react(path, "heart")).status, path).toBe(404);
    }
    const astray = await api.call("POST", `${other.path}${onComment}`, {
      as: reader,
      body: { content: "heart" },
    });
    expect(astray.status).toBe(404);
  });

  it("go with their comment: hidden with it, then removed by a job", async () => {
    await react(onComment, "heart");
    await react(onIssue, "eyes");
    await api.call("DELETE", `${where.path}${onComment.replace("/reactions", "")}`, { as: author });
    expect((await call("GET", onComment, reader)).status).toBe(404);
    expect(await storedReactions()).toHaveLength(2);
    await runJobs(api, commentClearingKind);
    expect(await storedReactions()).toMatchObject([{ content: "eyes" }]);
  });

  it("are those of /settings/ui", async () => {
    const { json } = await api.call("GET", "/settings/ui");
    for (const content of [...json.allowed_reactions, ...json.custom_emojis]) {
      expect((await react(onIssue, content)).status, content).toBe(201);
    }
    expect(json.custom_emojis).toEqual(["parrot"]);
  });
});
