import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { resendOverdue } from "#core/events/outbox";
import { checkRepository } from "#core/lifecycle/check/check";
import { labelsTold, leftBy, makeLabels, stored } from "#tests/core/issue/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { SimulatedCrash } from "#tests/support/faults";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { openIssue, timelineOf } from "../make.ts";

/** More labels of one issue than one transaction can tell of. */

let api: TestApi;
let owner: Caller;
let where: TestRepository;
const heard = new Set<string>();

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "olga" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner);
});
afterAll(() => api.stop());

const make = (count: number, given: object = {}) => makeLabels(api.forge, where.repository.id, count, given);
const path = (suffix = "") => `${where.path}/issues/1/labels${suffix}`;
const call = (method: string, body?: object, suffix = "") =>
  api.call(method, path(suffix), { as: owner, ...defined({ body }) });
const idsIn = (json: { id: number }[]) => json.map(({ id }) => id);
const carried = async () => idsIn((await call("GET")).json);
const told = async (number = 1) => labelsTold(await timelineOf(api, where, number));
/** The ids that are stored with the issue, those of labels that are gone too. */
const storedIds = async () => (await stored(api.forge, where.repository.id, 1)).issue?.labelIds;
const deleteLabels = async (ids: readonly number[]) => {
  for (const id of ids) await api.call("DELETE", `${where.path}/labels/${id}`, { as: owner });
};
/** What webhooks are told of labels for the first time, in order. */
async function newEvents(): Promise<string[]> {
  const actions: string[] = [];
  for (const message of await api.queues.take("repository-events")) {
    const { eventId, action = "" } = message as { eventId?: string; action?: string };
    if (!action.startsWith("label_") || eventId === undefined || heard.has(eventId)) continue;
    heard.add(eventId);
    actions.push(action);
  }
  return actions;
}
const findings = () => checkRepository(api.forge, where.repository.id);
/** Whether a list of the issues with a label shows the issue. */
const isListedWith = async (name: string) =>
  (await api.call("GET", `${where.path}/issues?labels=${name}`)).json.length === 1;

/** Does something in a process that is killed after its n-th write, before the next one. */
async function killedAfter(write: number, act: () => Promise<unknown>): Promise<void> {
  api.faults.crashAt(write, "after");
  await act().catch((error: unknown) => {
    if (!(error instanceof SimulatedCrash)) throw error;
  });
  api.faults.recover();
}

describe("issueClearLabels", () => {
  it("204: of fifty labels, each of which is told of (OP-issueClearLabels)", async () => {
    const ids = await make(50);
    expect((await call("POST", { labels: ids.slice(0, 40) })).status).toBe(200);
    expect(idsIn((await call("POST", { labels: ids.slice(40) })).json)).toEqual(ids);
    expect((await call("DELETE")).status).toBe(204);
    expect(await carried()).toEqual([]);
    expect(await told()).toEqual([...ids, ...ids.map((id) => -id)]);
    expect(await isListedWith("l000")).toBe(false);
    expect(await findings()).toEqual([]);
  });

  it("204: in steps that webhooks are told of, the last one as a clearing", async () => {
    await call("POST", { labels: await make(100) });
    await newEvents();
    await call("DELETE");
    expect(await newEvents()).toEqual(["label_updated", "label_updated", "label_cleared"]);
  });
});

describe("issueReplaceLabels", () => {
  it("200: a hundred by a hundred others, each of which is told of once, with the date that is given (OP-issueReplaceLabels, B-01)", async () => {
    const ids = await make(100);
    const others = await make(100);
    expect(idsIn((await call("POST", { labels: ids })).json)).toEqual(ids);
    const at = new Date(api.clock.now()).toISOString().replace(/\.\d+/, "");
    api.clock.advance(3_600_000);
    const answer = await call("PUT", { labels: others, updated_at: at });
    expect([answer.status, idsIn(answer.json)]).toEqual([200, others]);
    expect(await carried()).toEqual(others);
    expect(await told()).toEqual([...ids, ...ids.map((id) => -id), ...others]);
    const entries = (await timelineOf(api, where, 1)).slice(100);
    expect(new Set(entries.map(({ createdAt }) => createdAt))).toEqual(new Set([Date.parse(at) / 1_000]));
    const issue = (await api.call("GET", `${where.path}/issues/1`)).json;
    expect(Date.parse(issue.updated_at)).toBe(Date.parse(at));
    expect(await findings()).toEqual([]);
  });

  it("200: of five at once, by fifty labels each, one is the last, and whole", async () => {
    const sets = [await make(50), await make(50), await make(50), await make(50), await make(50)];
    const answers = await Promise.all(sets.map((labels) => call("PUT", { labels })));
    expect(answers.map(({ json }) => idsIn(json))).toEqual(sets);
    expect(sets).toContainEqual(await carried());
    expect(leftBy(await told())).toEqual(await storedIds());
    expect(await findings()).toEqual([]);
  });

  it("200: by none", async () => {
    await call("POST", { labels: await make(50) });
    expect((await call("PUT", { labels: [] })).json).toEqual([]);
    expect(await carried()).toEqual([]);
  });
});

describe("issueAddLabel", () => {
  it("200: twenty-five exclusive labels take the places of twenty-five others (B-08)", async () => {
    const scoped = (name: string) => make(25, { name: (at: number) => `s${at}/${name}`, isExclusive: true });
    const [ones, others] = [await scoped("one"), await scoped("other")];
    await call("POST", { labels: ones });
    const answer = await call("POST", { labels: others });
    expect([answer.status, new Set(idsIn(answer.json))]).toEqual([200, new Set(others)]);
    expect(new Set((await told()).slice(25))).toEqual(new Set([...ones.map((id) => -id), ...others]));
    expect(await findings()).toEqual([]);
  });

  it("422: no more than a hundred on one issue; those that it has may be replaced and removed", async () => {
    const ids = await make(100);
    const [one = 0] = await make(1);
    expect(idsIn((await call("POST", { labels: ids })).json)).toEqual(ids);
    const refused = await call("POST", { labels: [one] });
    expect([refused.status, refused.json.message]).toEqual([422, "[Labels]: at most 100 on one issue"]);
    expect(await carried()).toEqual(ids);
    expect((await call("POST", { labels: ids })).status).toBe(200);
    expect((await call("DELETE", undefined, `/${ids[0]}`)).status).toBe(204);
    expect((await call("POST", { labels: [one] })).json).toHaveLength(100);
    expect((await call("PUT", { labels: [one] })).json).toHaveLength(1);
  });
});

describe("issueDeleteLabel", () => {
  it.each([
    ["POST", 1],
    ["PUT", 1],
    ["DELETE", 0],
  ] as const)("204: of all labels of an issue with 45 of them; %s is free again", async (method, left) => {
    const ids = await make(45);
    const kept = await make(1);
    await call("POST", { labels: ids });
    await deleteLabels(ids);
    expect(await carried()).toEqual([]);
    if (method === "DELETE") await call("POST", { labels: kept });
    const answer = await call(method, method === "DELETE" ? undefined : { labels: kept });
    expect(answer.status).toBe(method === "DELETE" ? 204 : 200);
    expect(await carried()).toEqual(kept.slice(0, left));
    // Deleted labels are neither reported nor kept.
    expect(await told()).toEqual([...ids, ...kept, ...(method === "DELETE" ? [-(kept[0] ?? 0)] : [])]);
    expect(await storedIds()).toEqual(kept.slice(0, left));
    expect(await findings()).toEqual([]);
  });

  it("204: an issue that lost 39 takes more in the same change", async () => {
    const ids = await make(41);
    await call("POST", { labels: ids });
    await deleteLabels(ids.slice(0, 39));
    const others = await make(2);
    expect(idsIn((await call("PUT", { labels: others })).json)).toEqual(others);
    expect((await told()).slice(41)).toEqual([...ids.slice(39).map((id) => -id), ...others]);
    expect(await storedIds()).toEqual(others);
  });

  it("204: who then removes what nobody sees changes nothing, nor the issue's date", async () => {
    const ids = await make(45);
    await call("POST", { labels: ids });
    await deleteLabels(ids);
    const before = (await api.call("GET", `${where.path}/issues/1`)).json;
    await newEvents();
    api.clock.advance(60_000);
    expect((await call("DELETE")).status).toBe(204);
    expect((await api.call("GET", `${where.path}/issues/1`)).json).toEqual(before);
    expect(await newEvents()).toEqual([]);
  });
});

describe("issueCreateIssue", () => {
  it.each([26, 100])("201: with %i labels, told of by name", async (count) => {
    const ids = await make(count);
    const issue = await openIssue(api, where, owner, { labels: ids, assignees: [owner.name] });
    expect([issue.number, idsIn(issue.labels)]).toEqual([2, ids]);
    expect(await told(2)).toEqual(ids);
    expect((await api.call("GET", `${where.path}/issues/2`, { as: owner })).json).toEqual(issue);
    expect(await findings()).toEqual([]);
  });
});

describe("a process that is killed", () => {
  it("after any write of a replacement leaves what is told; the same once more is the whole", async () => {
    const [before, after] = [await make(50), await make(50)];
    const seen = new Set<number>();
    for (let write = 1; write <= 9; write += 1) {
      await call("PUT", { labels: before });
      await newEvents();
      const from = (await told()).length;
      await killedAfter(write, () => call("PUT", { labels: after }));
      // The new entries are exactly the labels that the issue lost and got, and each step reaches the webhooks.
      const since = (await told()).slice(from);
      expect(await storedIds(), `write ${write}`).toEqual(leftBy(since, before));
      expect(await findings(), `write ${write}`).toEqual([]);
      api.clock.advance(180_000);
      await resendOverdue(api.forge);
      expect(await newEvents()).toHaveLength(Math.ceil(since.length / 40));
      seen.add(since.length);
      expect(idsIn((await call("PUT", { labels: after })).json)).toEqual(after);
    }
    expect(seen).toEqual(new Set([0, 40, 80, 100]));
  });

  it("after any write of a creation leaves no issue, or one with the first of its labels", async () => {
    const ids = await make(100);
    const seen = new Set<number>();
    for (let write = 1; write <= 11; write += 1) {
      const body = { title: `write ${write}`, labels: ids };
      await killedAfter(write, () => api.call("POST", `${where.path}/issues`, { as: owner, body }));
      const [issue] = (await api.call("GET", `${where.path}/issues?limit=1`)).json;
      if (issue.title !== body.title) continue;
      expect(idsIn(issue.labels)).toEqual(ids.slice(0, issue.labels.length));
      expect(await told(issue.number)).toEqual(idsIn(issue.labels));
      seen.add(issue.labels.length);
    }
    expect(seen).toEqual(new Set([25, 65, 100]));
    expect(await findings()).toEqual([]);
  });
});
