import { describe, expect, it } from "vitest";
import { openIssue } from "#tests/api/issue/make";
import { makeRepository } from "#tests/api/repository/make";
import type { ApiAnswer } from "#tests/support/api";
import { api, call, create, get, outsider, owner, useMilestones, where } from "./milestones-world.ts";

useMilestones();

const titles = ({ json }: ApiAnswer) => json.map(({ title }: { title: string }) => title);
const nowText = () => new Date(api.clock.now()).toISOString().replace(/\.\d+Z/, "Z");

describe("issueCreateMilestone", () => {
  it("201: open, due never and never updated unless said otherwise (OP-issueCreateMilestone, RES-Milestone)", async () => {
    const answer = await create({ title: "v1" });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      id: expect.any(Number),
      title: "v1",
      description: "",
      state: "open",
      open_issues: 0,
      closed_issues: 0,
      created_at: nowText(),
      updated_at: null,
      closed_at: null,
      due_on: null,
    });
    const closed = await create({ title: "v0", state: "closed", due_on: "2030-05-01T10:00:00+02:00" });
    expect(closed.json).toMatchObject({
      state: "closed",
      closed_at: nowText(),
      due_on: "2030-05-01T08:00:00Z",
    });
  });

  it.each([{}, { title: "" }, { title: " " }, { title: "t".repeat(256) }, { title: "t", due_on: "soon" }])(
    "422: %o",
    async (body) => {
      expect((await create(body)).status).toBe(422);
    },
  );

  it("201: a description of 65,536 characters, or 192 KB; 422: one more, here and in edits (D-TEXT)", async () => {
    const [most, widest] = ["d".repeat(65_536), "\u20ac".repeat(65_536)];
    const { status, json } = await create({ title: "v1", description: most });
    expect([status, json.description.length]).toEqual([201, 65_536]);
    expect((await create({ title: "v2", description: widest })).status).toBe(201);
    const tooLong = [`${most}d`, "\u{1f40b}".repeat(49_153)];
    for (const description of tooLong) {
      for (const answer of [
        await create({ title: "v3", description }),
        await call("PATCH", `milestones/${json.id}`, { title: "v9", description }),
      ]) {
        expect(answer.status).toBe(422);
        expect(answer.json.message).toContain("Description");
      }
    }
    expect(await get(json.id)).toMatchObject({ title: "v1", description: most });
    expect(titles(await call("GET", "milestones"))).toEqual(["v1", "v2"]);
  });

  it("403 for readers", async () => {
    expect((await create({ title: "v1" }, outsider)).status).toBe(403);
  });
});

describe("a milestone's due date", () => {
  it("null: the zero time means none, as clients of the family send it (semantics §19.6)", async () => {
    const zero = "0001-01-01T00:00:00Z";
    expect((await create({ title: "v1", due_on: zero })).json.due_on).toBeNull();
    const made = (await create({ title: "v2", due_on: "2030-05-01T00:00:00Z" })).json;
    expect((await call("PATCH", `milestones/${made.id}`, { due_on: zero })).json.due_on).toBeNull();
  });
});

describe("issueGetMilestones", () => {
  it("200: open ones unless another state is asked for, those due first come first, then by title (OP-issueGetMilestones)", async () => {
    await create({ title: "never b" });
    await create({ title: "late", due_on: "2031-01-01T00:00:00Z" });
    await create({ title: "never a" });
    await create({ title: "soon", due_on: "2030-01-01T00:00:00Z" });
    await create({ title: "done", state: "closed" });
    expect(titles(await call("GET", "milestones"))).toEqual(["soon", "late", "never a", "never b"]);
    expect(titles(await call("GET", "milestones?state=closed"))).toEqual(["done"]);
    expect(titles(await call("GET", "milestones?state=all&limit=2&page=2"))).toEqual(["done", "never a"]);
    expect(titles(await call("GET", "milestones?name=NEVER"))).toEqual(["never a", "never b"]);
  });
});

describe("issueGetMilestone", () => {
  it("200: by id or by title; 404 where there is neither (OP-issueGetMilestone)", async () => {
    const made = (await create({ title: "v1" })).json;
    expect(await get("v1")).toEqual(made);
    expect(await get(made.id)).toEqual(made);
    expect((await call("GET", "milestones/v2")).status).toBe(404);
    const other = await makeRepository(api, owner);
    expect((await api.call("GET", `${other.path}/milestones/${made.id}`)).status).toBe(404);
  });
});

it("200, 204: a title with a slash, encoded or as it stands (D-RAWPATH)", async () => {
  const made = (await create({ title: "release/1.0" })).json;
  expect([await get("release/1.0"), await get("release%2F1.0")]).toEqual([made, made]);
  const edited = await call("PATCH", "milestones/release/1.0", { description: "text" });
  expect([edited.status, edited.json.id]).toEqual([200, made.id]);
  expect((await call("DELETE", "milestones/release/1.0")).status).toBe(204);
});

describe("issueEditMilestone", () => {
  it("200: by id or by title, changes what is given alone, and the date (OP-issueEditMilestone)", async () => {
    const made = (await create({ title: "v1", description: "text", due_on: "2030-01-01T00:00:00Z" })).json;
    api.clock.advance(5_000);
    const closed = (await call("PATCH", `milestones/${made.id}`, { state: "closed" })).json;
    expect(closed).toEqual({ ...made, state: "closed", closed_at: nowText(), updated_at: nowText() });
    const open = (await call("PATCH", "milestones/v1", { state: "open", title: "v2" })).json;
    expect(open).toMatchObject({
      title: "v2",
      state: "open",
      closed_at: null,
      description: "text",
    });
    expect((await call("GET", "milestones/v1")).status).toBe(404);
    expect((await call("PATCH", "milestones/v2", { title: "x" }, outsider)).status).toBe(403);
  });
});

describe("issueDeleteMilestone", () => {
  it("204: issues lose it; 404 when there is none (OP-issueDeleteMilestone)", async () => {
    const { id } = (await create({ title: "v1" })).json;
    await openIssue(api, where, owner, { milestone: id });
    expect((await call("DELETE", `milestones/${id}`, undefined, outsider)).status).toBe(403);
    expect((await call("DELETE", `milestones/${id}`)).status).toBe(204);
    expect((await call("DELETE", `milestones/${id}`)).status).toBe(404);
    expect((await call("GET", "issues/1")).json.milestone).toBeNull();
    const other = (await create({ title: "v2" })).json;
    const edited = await call("PATCH", "issues/1", { milestone: other.id, state: "closed" });
    expect(edited.json.milestone).toMatchObject({ id: other.id, open_issues: 0, closed_issues: 1 });
  });
});

describe("issues of a milestone", () => {
  it("201: a writer's new issue has it, a reader's has not, an unknown one is dropped; filters find it (OP-issueCreateIssue)", async () => {
    const { id } = (await create({ title: "v1" })).json;
    expect((await openIssue(api, where, outsider, { milestone: id })).milestone).toBeNull();
    expect((await openIssue(api, where, owner, { milestone: id })).milestone).toMatchObject({
      id,
      open_issues: 1,
    });
    expect((await openIssue(api, where, owner, { milestone: id + 1 })).milestone).toBeNull();
    const found = async (query: string) =>
      (await call("GET", `issues?${query}`)).json.map((one: { number: number }) => one.number);
    expect(await found("milestones=v1")).toEqual([2]);
    expect(await found(`milestones=${id},unknown`)).toEqual([2]);
    expect(await found("milestones=unknown")).toEqual([]);
  });

  it("counts follow the issues: given, closed, reopened, moved, taken away", async () => {
    const [one, other] = [(await create({ title: "1" })).json, (await create({ title: "2" })).json];
    const counts = async (id: number) => {
      const { open_issues: open, closed_issues: closed } = await get(id);
      return `${open}/${closed}`;
    };
    await openIssue(api, where, owner, { milestone: one.id });
    await openIssue(api, where, owner);
    const edit = (number: number, body: object) => call("PATCH", `issues/${number}`, body);
    await edit(2, { milestone: one.id });
    expect(await counts(one.id)).toBe("2/0");
    await edit(1, { state: "closed" });
    expect(await counts(one.id)).toBe("1/1");
    await edit(1, { milestone: other.id, state: "open" });
    expect([await counts(one.id), await counts(other.id)]).toEqual(["1/0", "1/0"]);
    await edit(2, { milestone: 0 });
    expect(await counts(one.id)).toBe("0/0");
    expect((await edit(1, { milestone: 99_999 })).status).toBe(422);
  });
});
