import { describe, expect, it } from "vitest";
import {
  ago,
  api,
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

const milestone = async (title: string) =>
  (await api.call("POST", `${where.path}/milestones`, { as: owner, body: { title } })).json.id;
const milestoneDate = async (id: number) =>
  (await api.call("GET", `${where.path}/milestones/${id}`)).json.updated_at;

describe("updated_at of an issue's edit", () => {
  it("201: entries of ref, milestone, assignees, deadline and reopening get it, too (B-01a, semantics §4.3)", async () => {
    await edit({ state: "closed" });
    const { created_at: created } = await issue();
    const changes: [object, string][] = [
      [{ ref: "main" }, "change_issue_ref"],
      [{ milestone: await milestone("v1") }, "milestone"],
      [{ assignees: ["willa"] }, "assignees"],
      [{ due_date: "2030-05-01T00:00:00Z" }, "added_deadline"],
      [{ due_date: "2030-05-02T00:00:00Z" }, "modified_deadline"],
      [{ unset_due_date: true }, "removed_deadline"],
      [{ state: "open" }, "reopen"],
    ];
    for (const [place, [change, type]] of changes.entries()) {
      const at = text(Date.parse(created) + (place + 1) * 60_000);
      const answer = await edit({ ...change, updated_at: at });
      expect([type, answer.status, answer.json.updated_at]).toEqual([type, 201, at]);
      expect((await entryDates()).at(-1)).toEqual([type, at, at]);
    }
    expect((await issue()).closed_at).toBeNull();
    const together = ago(hour);
    await edit({ ref: "", milestone: 0, assignees: [], state: "closed", updated_at: together });
    const types = ["change_issue_ref", "milestone", "assignees", "close"];
    expect((await entryDates()).slice(-4)).toEqual(types.map((type) => [type, together, together]));
  });
});

describe("updated_at of label changes", () => {
  it("403: a writer may not give a date, and nothing is changed (B-02b)", async () => {
    const body = { labels: [await label("bug")], updated_at: ago(hour) };
    const answer = await api.call("POST", `${where.path}/issues/1/labels`, { as: writer, body });
    expect(answer.status).toBe(403);
    expect((await issue()).labels).toEqual([]);
  });
});

describe("the milestone's date", () => {
  it("is the greater of its own and the given one, now without one (B-03)", async () => {
    const id = await milestone("v1");
    expect(await milestoneDate(id)).toBeNull();
    await edit({ milestone: id, updated_at: ago(hour) });
    expect(await milestoneDate(id)).toBe(ago(hour));
    await edit({ milestone: 0, updated_at: ago(hour + 60_000) });
    expect(await milestoneDate(id)).toBe(ago(hour));
    await edit({ milestone: id });
    expect(await milestoneDate(id)).toBe(ago(0));
    await edit({ state: "closed", updated_at: ago(hour) });
    expect(await milestoneDate(id)).toBe(ago(0));
  });

  it("changes for the former milestone as well as for the new one (B-03)", async () => {
    const [one, other] = [await milestone("v1"), await milestone("v2")];
    await edit({ milestone: one, updated_at: ago(hour) });
    await edit({ milestone: other, updated_at: ago(hour / 2) });
    expect([await milestoneDate(one), await milestoneDate(other)]).toEqual([ago(hour / 2), ago(hour / 2)]);
  });
});
