import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { addComment, lockIssue, openIssue, tableRequests, withScopes } from "../issue/make.ts";
import { makeRepository, setRepository } from "../repository/make.ts";
import {
  admin,
  api,
  author,
  create,
  hidden,
  issue,
  outsider,
  owner,
  useComments,
  where,
} from "./comments-world.ts";

useComments();

const get = (id: number | string, as?: Caller, at = where) =>
  api.call("GET", `${at.path}/issues/comments/${id}`, { as });
const edit = (id: number, body: object, as?: Caller, at = where) =>
  api.call("PATCH", `${at.path}/issues/comments/${id}`, { as, body });
/** An issue that was closed: its timeline has an entry that is no comment. */
async function closedEntryId(): Promise<number> {
  const at = await openIssue(api, where, author);
  const before = await addComment(api, where, at.number, author);
  await api.call("PATCH", `${where.path}/issues/${at.number}`, { as: author, body: { state: "closed" } });
  return before.id + 1;
}

describe("issueCreateComment", () => {
  it("201: a reader comments and gets all fields (OP-issueCreateComment, RES-Comment)", async () => {
    const answer = await create({ body: "Hallo 👋\r\n" }, outsider);
    expect(answer.status).toBe(201);
    const page = `${api.forge.config.rootUrl}${where.path.slice("/repos".length)}/issues/1`;
    expect(answer.json).toMatchObject({
      html_url: `${page}#issuecomment-${answer.json.id}`,
      issue_url: page,
      pull_request_url: "",
      user: { login: "otto" },
      original_author: "",
      original_author_id: 0,
      body: "Hallo 👋\r\n",
      assets: [],
      created_at: "2030-01-02T03:04:05Z",
      updated_at: "2030-01-02T03:04:05Z",
    });
    expect((await get(answer.json.id, outsider)).json).toEqual(answer.json);
  });

  it("201: the issue counts it and is updated by it, everywhere at once", async () => {
    const at = await makeRepository(api, owner);
    await openIssue(api, at, author);
    api.clock.advance(60_000);
    const { created_at } = await addComment(api, at, 1, outsider);
    expect(await issue(at)).toMatchObject({ comments: 1, updated_at: created_at });
    const [listed] = (await api.call("GET", `${at.path}/issues?sort=mostcomment`)).json;
    expect(listed).toMatchObject({ comments: 1, updated_at: created_at });
    expect((await api.call("GET", `${at.path}/issues/comments`)).headers.get("x-total-count")).toBe("1");
  });

  it("201: a title and other issue fields are ignored (D-COMMENT-BODY)", async () => {
    const answer = await create({ title: "New title", body: "text", closed: true }, owner);
    expect(answer.status).toBe(201);
    expect(await issue(where)).toMatchObject({ title: "An issue", state: "open" });
  });

  it("201: takes 2 requests to the table beside the one for the caller, the repository and the issue", async () => {
    const answer = await create({ body: "counted" }, owner);
    expect(tableRequests(answer)).toBe(1 + 2); // the comment's id, one transaction
  });

  it("401: anonymous; 404 where the repository is hidden from the caller (B-18)", async () => {
    expect((await create({ body: "no" })).status).toBe(401);
    expect((await create({ body: "no" }, undefined, hidden)).status).toBe(404);
    expect((await create({ body: "no" }, outsider, hidden)).status).toBe(404);
  });

  it("403: the issue is locked; writers and site administrators comment still", async () => {
    const { number } = await openIssue(api, where, author);
    await lockIssue(api, where, number);
    const refused = await create({ body: "no" }, author, where, number);
    expect(refused.status).toBe(403);
    expect(refused.json.message).toContain("locked");
    expect((await create({ body: "yes" }, owner, where, number)).status).toBe(201);
    expect((await create({ body: "yes" }, admin, where, number)).status).toBe(201);
    expect((await issue(where, number)).comments).toBe(2);
  });

  it("403: a token without write:issue", async () => {
    expect((await create({ body: "no" }, await withScopes(api, author, ["read:issue"]))).status).toBe(403);
  });

  it("404: no such issue", async () => {
    expect((await create({ body: "no" }, author, where, 999)).status).toBe(404);
  });

  it("422: without a body, with an empty one, with a title alone (D-COMMENT-BODY)", async () => {
    for (const body of [{}, { body: "" }, { body: null }, { title: "alone" }]) {
      const answer = await create(body, author);
      expect([answer.status, answer.json.message]).toEqual([422, "[Body]: Required"]);
    }
  });

  it("422: a body over its bounds, naming them (D-TEXT)", async () => {
    const answer = await create({ body: "x".repeat(65_537) }, author);
    expect([answer.status, answer.json.message]).toEqual([422, "[Body]: MaxSize: at most 65536 characters"]);
    expect((await create({ body: "🦁".repeat(49_152) }, author)).status).toBe(201);
  });

  it("423: the repository is archived", async () => {
    const at = await makeRepository(api, owner);
    await openIssue(api, at, owner);
    await setRepository(api, at, { isArchived: true });
    expect((await create({ body: "no" }, owner, at)).status).toBe(423);
  });
});

describe("issueGetComment", () => {
  it("200: anyone who may read the issue", async () => {
    const { id } = await addComment(api, where, 1, author, "public");
    expect((await get(id)).json).toMatchObject({ id, body: "public", user: { login: "arno" } });
    const secret = await addComment(api, hidden, 1, owner, "secret");
    expect((await get(secret.id, owner, hidden)).json.body).toBe("secret");
    expect((await get(secret.id, admin, hidden)).status).toBe(200);
  });

  it("204: an entry of the timeline that is no comment", async () => {
    const answer = await get(await closedEntryId());
    expect([answer.status, answer.text]).toEqual([204, ""]);
  });

  it("404: a comment of another repository (B-18)", async () => {
    const other = await makeRepository(api, owner);
    const { id } = await addComment(api, where, 1, author);
    expect((await get(id, owner, other)).status).toBe(404);
    const secret = await addComment(api, hidden, 1, owner);
    for (const as of [undefined, outsider]) {
      expect((await get(secret.id, as)).status).toBe(404);
      expect((await get(secret.id, as, hidden)).status).toBe(404);
    }
  });

  it("404: no such id, a word, and a comment on an issue where issues are switched off", async () => {
    expect((await get(999_999)).status).toBe(404);
    expect((await get("abc")).status).toBe(404);
    const at = await makeRepository(api, owner);
    await openIssue(api, at, owner);
    const { id } = await addComment(api, at, 1, owner);
    await setRepository(api, at, { units: ["code", "pulls"] });
    expect((await get(id, owner, at)).status).toBe(404);
    expect((await edit(id, { body: "no" }, owner, at)).status).toBe(404);
  });
});

describe.each([
  ["issueEditComment", "/issues/comments/"],
  ["issueEditCommentDeprecated", "/issues/777/comments/"],
])("%s (of issueEditComment, issueEditCommentDeprecated)", (_id, base) => {
  const change = (id: number, body: object, as?: Caller, at = where) =>
    api.call("PATCH", `${at.path}${base}${id}`, { as, body });

  it("200: the author replaces the text; the issue stays as it was, whatever its index (D-DEPRECATED)", async () => {
    const { id } = await addComment(api, where, 1, author, "old");
    const before = await issue(where);
    api.clock.advance(60_000);
    const answer = await change(id, { body: "new" }, author);
    expect(answer.status).toBe(200);
    const now = new Date(api.clock.now()).toISOString().replace(".000Z", "Z");
    expect(answer.json).toMatchObject({ id, body: "new", updated_at: now, user: { login: "arno" } });
    expect(answer.json.created_at).not.toBe(now);
    expect((await get(id, author)).json).toEqual(answer.json);
    expect(await issue(where)).toEqual(before);
  });

  it("200: the same text again changes nothing", async () => {
    const { id } = await addComment(api, where, 1, author, "same");
    const before = (await get(id, author)).json;
    api.clock.advance(60_000);
    expect((await change(id, { body: "same" }, author)).json).toEqual(before);
  });

  it("200: the owner and a site administrator edit comments of others", async () => {
    const { id } = await addComment(api, where, 1, author);
    expect((await change(id, { body: "by the owner" }, owner)).json.body).toBe("by the owner");
    expect((await change(id, { body: "by the boss" }, admin)).json.body).toBe("by the boss");
  });

  it("204: an entry of the timeline that is no comment stays as it is", async () => {
    const answer = await change(await closedEntryId(), { body: "new" }, owner);
    expect([answer.status, answer.text]).toEqual([204, ""]);
  });

  it("401: anonymous", async () => {
    const { id } = await addComment(api, where, 1, author);
    expect((await change(id, { body: "no" })).status).toBe(401);
  });

  it("403: somebody else, without a body; a token without write:issue, with one", async () => {
    const { id } = await addComment(api, where, 1, author, "mine");
    const refused = await change(id, { body: "no" }, outsider);
    expect([refused.status, refused.text]).toEqual([403, ""]);
    const limited = await change(id, { body: "no" }, await withScopes(api, author, ["read:issue"]));
    expect(limited.json.message).toContain("write:issue");
    expect((await get(id)).json.body).toBe("mine");
  });

  it("404: a comment of another repository, even for its author; no such id (B-18)", async () => {
    const other = await makeRepository(api, author);
    const { id } = await addComment(api, where, 1, author, "mine");
    expect((await change(id, { body: "no" }, author, other)).status).toBe(404);
    expect((await change(999_999, { body: "no" }, author)).status).toBe(404);
  });

  it("422: an empty text or one over its bounds", async () => {
    const { id } = await addComment(api, where, 1, author, "mine");
    for (const body of [{}, { body: "" }, { body: "x".repeat(65_537) }]) {
      expect((await change(id, body, author)).status).toBe(422);
    }
    expect((await get(id)).json.body).toBe("mine");
  });

  it("423: the repository is archived", async () => {
    const at = await makeRepository(api, owner);
    await openIssue(api, at, author);
    const { id } = await addComment(api, at, 1, author);
    await setRepository(api, at, { isArchived: true });
    expect((await change(id, { body: "no" }, author, at)).status).toBe(423);
  });
});
