import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import {
  ago,
  api,
  author,
  edit,
  entryDates,
  hour,
  issue,
  label,
  owner,
  text,
  useDates,
  where,
  writer,
} from "./update-date-world.ts";

useDates();

describe("updated_at of an issue's edit", () => {
  it("201: the owner's date is the issue's, and that of the timeline entries (B-01a, FLD-updated_at)", async () => {
    const at = ago(hour);
    const answer = await edit({ title: "After", state: "closed", updated_at: at });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ title: "After", updated_at: at, closed_at: at });
    expect(await issue()).toMatchObject({ updated_at: at });
    expect(await entryDates()).toEqual([
      ["change_title", at, at],
      ["close", at, at],
    ]);
  });

  it("201: alone it sets the issue's date, also backwards (B-01a)", async () => {
    await edit({ body: "new" });
    expect((await edit({ updated_at: ago(hour) })).json.updated_at).toBe(ago(hour));
  });

  it("201: milliseconds and offsets are cut to the second (B-01a)", async () => {
    const time = api.clock.now() - hour;
    const local = new Date(time + 2 * hour).toISOString().replace(/\.\d+Z/, ".900+02:00");
    expect((await edit({ body: "new", updated_at: local })).json.updated_at).toBe(text(time));
  });

  it("403: writers and the author may not, and nothing is changed (B-02b, LIM-3)", async () => {
    for (const as of [writer, author]) {
      const before = await issue();
      const refused = await edit({ title: "After", updated_at: ago(hour) }, as);
      expect(refused.status).toBe(403);
      expect(refused.json.message).toBe("user needs to have admin or owner right");
      expect(await issue()).toEqual(before);
    }
    const answer = await edit({ title: "After" }, writer);
    expect(answer.json.updated_at).toBe(ago(0));
  });

  it("403: before the issue's creation, or in the future; equal to either is allowed (B-02a, LIM-3)", async () => {
    const { created_at: created } = await issue();
    const early = text(Date.parse(created) - 1000);
    for (const at of [early, ago(-hour)]) {
      expect((await edit({ title: "After", updated_at: at })).status).toBe(403);
      expect((await issue()).title).toBe("Before");
    }
    expect((await edit({ body: "1", updated_at: created })).json.updated_at).toBe(created);
    expect((await edit({ body: "2", updated_at: ago(0) })).json.updated_at).toBe(ago(0));
  });

  it.each(["yesterday", "2024-13-01T00:00:00Z", 5, ""])("422: %o is no date (B-02)", async (at) => {
    expect((await edit({ body: "new", updated_at: at })).status).toBe(422);
    expect((await issue()).body).toBe("old");
  });
});

describe("updated_at of label changes", () => {
  it("200, 204: the issue and the timeline take it in all four forms (B-01b, B-01h)", async () => {
    const [bug, docs] = [await label("bug"), await label("docs")];
    const path = `${where.path}/issues/1/labels`;
    const send = (method: string, minutes: number, body: object, suffix = "") =>
      api.call(method, `${path}${suffix}`, {
        as: owner,
        body: { ...body, updated_at: ago(minutes * 60_000) },
      });
    const forms: [string, object, string?][] = [
      ["POST", { labels: [bug] }],
      ["PUT", { labels: [docs] }],
      ["DELETE", {}, `/${docs}`],
      ["POST", { labels: [bug] }],
      ["DELETE", {}],
    ];
    for (const [place, [method, body, suffix]] of forms.entries()) {
      const minutes = 10 + place;
      const answer = await send(method, minutes, body, suffix);
      expect([200, 204]).toContain(answer.status);
      const at = ago(minutes * 60_000);
      expect((await issue()).updated_at).toBe(at);
      expect((await entryDates()).at(-1)).toEqual(["label", at, at]);
    }
  });
});

describe("updated_at of comments", () => {
  const comments = () => `${where.path}/issues/1/comments`;
  const write = (body: object, as: Caller = owner) => api.call("POST", comments(), { as, body });
  const rewrite = (id: number, body: object, as: Caller = owner) =>
    api.call("PATCH", `${where.path}/issues/comments/${id}`, { as, body });

  it("201: a new comment is created and updated then, and so is its issue (B-01d)", async () => {
    const at = ago(hour);
    const answer = await write({ body: "text", updated_at: at });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ created_at: at, updated_at: at });
    expect((await issue()).updated_at).toBe(at);
  });

  it("200: an edit gives it to the comment and the issue, the creation stays (B-01e, D-TOUCH)", async () => {
    const { id, created_at: created } = (await write({ body: "text" })).json;
    const at = ago(hour);
    const answer = await rewrite(id, { body: "new", updated_at: at });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ body: "new", created_at: created, updated_at: at });
    expect((await issue()).updated_at).toBe(at);
    const list = await api.call("GET", `${where.path}/issues?sort=recentupdate`);
    expect(list.json[0].updated_at).toBe(at);
  });

  it("403: writers may not, nor may anybody give a date before the issue, and nothing is changed (B-02a, B-02b)", async () => {
    expect((await write({ body: "text", updated_at: ago(hour) }, writer)).status).toBe(403);
    expect((await issue()).comments).toBe(0);
    const { id } = (await write({ body: "text" }, writer)).json;
    expect((await rewrite(id, { body: "new", updated_at: ago(hour) }, writer)).status).toBe(403);
    expect((await rewrite(id, { body: "new", updated_at: ago(3 * hour) })).status).toBe(403);
    const comment = (await api.call("GET", `${where.path}/issues/comments/${id}`)).json;
    expect(comment.body).toBe("text");
  });
});
