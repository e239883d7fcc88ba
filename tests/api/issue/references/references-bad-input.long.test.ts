import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TimelineEntry } from "#core/comment/comment.table";
import { resendOverdue } from "#core/events/outbox";
import type { QueueMessage } from "#core/events/queue-message";
import type { Forge } from "#core/forge";
import { type SettleMessage, settleReferences } from "#core/issue/references/settle-references";
import { checkRepository } from "#core/lifecycle/check/check";
import { createUser } from "#core/user/create";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { SimulatedCrash } from "#tests/support/faults";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { addComment, openIssue, tableRequests, timelineOf } from "../make.ts";

let api: TestApi;
let owner: Caller;
let where: TestRepository;
/** Messages that the queue was sent, in place of a queue. */
let sent: QueueMessage[];

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  const queues: Forge["queues"] = {
    ...api.forge.queues,
    send: async (_queue, messages) => void sent.push(...messages),
    countedBy: () => queues,
  };
  Object.assign(api.forge, { queues });
});
beforeEach(async () => {
  sent = [];
  where = await makeRepository(api, owner);
});
afterAll(() => api.stop());

const openMany = async (count: number) => {
  for (let made = 0; made < count; made += 1) await openIssue(api, where, owner);
};
const post = (body: string, path = "/issues") =>
  api.call("POST", `${where.path}${path}`, { as: owner, body: { title: "new", body } });
const patch = (path: string, body: string) =>
  api.call("PATCH", `${where.path}${path}`, { as: owner, body: { body } });
const numbersTo = (last: number) => Array.from({ length: last }, (_, at) => `#${at + 1}`).join(" ");
const ofText = ({ type }: TimelineEntry) => type === "issue_ref" || type === "comment_ref";
/** How many timeline entries the issues up to this one have about a text that names them. */
async function told(last: number): Promise<number[]> {
  const numbers = Array.from({ length: last }, (_, at) => at + 1);
  const timelines = await Promise.all(numbers.map((number) => timelineOf(api, where, number)));
  return timelines.flatMap((entries, at) =>
    entries.filter((entry) => ofText(entry) && entry.refAction !== "neutered").map(() => at + 1),
  );
}
const settle = async () => {
  for (const message of sent.filter(({ kind }) => kind === "settle-references")) {
    await settleReferences(api.forge, message as SettleMessage);
  }
};
const expectWhole = async () => expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);

describe("a text of the greatest length (D-TEXT)", () => {
  it("full of references takes as many requests as one with twenty, and tells fifty issues", async () => {
    await openMany(53);
    const one = tableRequests(await post("#1"));
    const twenty = tableRequests(await post(numbersTo(20)));
    const text = `${numbersTo(53)} `;
    const full = await post(text.repeat(Math.floor(65_536 / text.length)));
    expect(full.status).toBe(201);
    // Each 64th write into a list index asks for compaction, in a request of its own.
    expect(Math.max(one, twenty)).toBeLessThanOrEqual(11);
    expect(tableRequests(full)).toBeLessThanOrEqual(14);
    expect(tableRequests(await post("nothing"))).toBeLessThanOrEqual(6);
    expect((await told(53)).filter((number) => number > 20)).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 21),
    );
    await expectWhole();
  });

  it("with 10,000 mentions and more notes fifty users, in a bounded number of requests", async () => {
    const names = Array.from({ length: 60 }, (_, at) => `u${at}`);
    await Promise.all(
      names.map((name) =>
        createUser(api.forge, { name, email: `${name}@example.com`, password: "correct-horse-9" }),
      ),
    );
    const all = `${names.map((name) => `@${name}`).join(" ")} `;
    const answer = await post(all.repeat(Math.floor(65_536 / all.length)));
    expect(answer.status).toBe(201);
    expect(tableRequests(answer)).toBeLessThanOrEqual(20);
    const mentioning = async (name: string) =>
      (await api.call("GET", `${where.path}/issues?mentioned_by=${name}`, { as: owner })).json.length;
    expect([await mentioning("u0"), await mentioning("u49"), await mentioning("u50")]).toEqual([1, 1, 0]);
    expect((await post("@nobody ".repeat(8_000))).status).toBe(201);
    await expectWhole();
  });

  it("with references into a hundred repositories, there or not, looks into ten", async () => {
    const places = await Promise.all(Array.from({ length: 12 }, () => makeRepository(api, owner)));
    for (const place of places) await openIssue(api, place, owner);
    const paths = [...places.map(({ path }) => path.replace("/repos/", "")), "nobody/none", "olga/none"];
    const answer = await post(paths.map((path) => `${path}#1 ${path}#2`).join(" "));
    expect(answer.status).toBe(201);
    expect(tableRequests(answer)).toBeLessThanOrEqual(40);
    const counts = await Promise.all(places.map(async (place) => (await timelineOf(api, place, 1)).length));
    expect(counts).toEqual([...Array(10).fill(1), 0, 0]);
  });
});

describe("an issue that many repositories name", () => {
  it("is shown in as many requests as one that two name, what is hidden not counted", async () => {
    await openMany(2);
    const requests: number[] = [];
    await api.call("GET", `${where.path}/issues/1/timeline`); // the process remembers their names from now on
    for (const [number, count] of [
      [1, 2],
      [2, 10],
    ] as const) {
      for (let made = 0; made < count; made += 1) {
        const place = await makeRepository(api, owner, { isPrivate: made % 2 === 1 });
        await openIssue(api, place, owner, { body: `${where.path.replace("/repos/", "")}#${number}` });
      }
      const answer = await api.call("GET", `${where.path}/issues/${number}/timeline`);
      expect([answer.json.length, answer.headers.get("x-total-count")]).toEqual([count / 2, `${count / 2}`]);
      requests.push(tableRequests(answer));
    }
    expect(requests[1]).toBe(requests[0]);
  });
});

describe("edits that race", () => {
  it("leave told what the last text names, once", async () => {
    await openMany(6);
    const comment = await addComment(api, where, 6, owner, "nothing");
    for (let round = 0; round < 2; round += 1) {
      const texts = ["#1 #2", "#2 #3", "#3 #4", "nothing", "#1 #5"];
      const edits = texts.flatMap((text) => [
        patch(`/issues/comments/${comment.id}`, text),
        patch("/issues/6", text),
      ]);
      expect((await Promise.all(edits)).map(({ status }) => Math.floor(status / 100))).toEqual(
        edits.map(() => 2),
      );
      await settle();
      const body = (await api.call("GET", `${where.path}/issues/6`, { as: owner })).json.body;
      const found = await api.call("GET", `${where.path}/issues/comments/${comment.id}`, { as: owner });
      const named = `${body} ${found.json.body}`.match(/\d/g) ?? [];
      expect(await told(5)).toEqual(named.map(Number).sort());
    }
    await expectWhole();
  });

  it("never tell in one writer's name what another wrote", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner);
    const writer = await api.makeUser();
    await api.call("PUT", `${where.path}/collaborators/${writer.name}`, {
      as: owner,
      body: { permission: "write" },
    });
    await openMany(1);
    const secret = `${hidden.path.replace("/repos/", "")}#1`;
    await Promise.all([
      patch("/issues/1", "the owner names nothing @olga"),
      api.call("PATCH", `${where.path}/issues/1`, { as: writer, body: { body: secret } }),
    ]);
    await settle();
    expect(await timelineOf(api, hidden, 1)).toEqual([]);
  });

  it("and deletions: nothing is told of a comment that is gone, in an issue that is there or not", async () => {
    await openMany(3);
    for (let round = 0; round < 2; round += 1) {
      const { id } = await addComment(api, where, 3, owner, "nothing");
      await Promise.all([
        patch(`/issues/comments/${id}`, "#1 #2"),
        api.call("DELETE", `${where.path}/issues/comments/${id}`, { as: owner }),
      ]);
      await settle();
      expect(await told(2)).toEqual([]);
    }
    await openIssue(api, where, owner, { body: "#1 #2" });
    await Promise.all([
      patch("/issues/4", "#1 #3"),
      api.call("DELETE", `${where.path}/issues/3`, { as: owner }),
    ]);
    await settle();
    expect(await told(2)).toEqual([1]);
    await expectWhole();
  });
});

describe("many texts at once that name one issue", () => {
  it("are all told there", async () => {
    await openMany(2);
    const made = await Promise.all(Array.from({ length: 12 }, () => post("#1", "/issues/2/comments")));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    await settle();
    expect(await told(1)).toHaveLength(12);
    await expectWhole();
  });
});

describe("a process that is killed", () => {
  it("between any two writes of an edit: told in the end is what the text names, once", async () => {
    await openMany(25);
    const account = { name: "mention", email: "m@example.com", password: "correct-horse-9" };
    await createUser(api.forge, account);
    const texts = [`${numbersTo(24)} @mention`, "#1 #2", "#25", `#3 ${numbersTo(23)}`];
    let [kills, round] = [0, 0];
    for (let write = 1; write <= 6; write += 1) {
      for (const when of ["before", "after"] as const) {
        round += 1;
        const text = texts[round % texts.length] ?? "";
        const before = (await api.call("GET", `${where.path}/issues/25`, { as: owner })).json.body;
        api.faults.crashAt(write, when);
        await patch("/issues/25", text).catch((error: unknown) => {
          if (!(error instanceof SimulatedCrash)) throw error;
        });
        kills += api.faults.hasCrashed ? 1 : 0;
        api.faults.recover();
        api.clock.advance(60_000);
        await resendOverdue(api.forge);
        await settle();
        const { body } = (await api.call("GET", `${where.path}/issues/25`, { as: owner })).json;
        expect([before, text]).toContain(body);
        const named = new Set<number>((body.match(/\d+/g) ?? []).map(Number));
        named.delete(25);
        expect(await told(25), `${when} ${write}`).toEqual([...named].sort((one, other) => one - other));
      }
    }
    expect(kills).toBeGreaterThan(4);
    await expectWhole();
  });

  it("messages that come twice, late and in any order change nothing", async () => {
    await openMany(3);
    const comment = await addComment(api, where, 3, owner, "#1");
    api.faults.inject({
      service: "dynamodb",
      operation: "TransactWriteItems",
      fault: new Error("x"),
      skip: 1,
    });
    await patch(`/issues/comments/${comment.id}`, "#2").catch(() => undefined);
    api.faults.recover();
    await settle();
    expect(await told(2)).toEqual([2]);
    await patch(`/issues/comments/${comment.id}`, "#1 #2");
    sent = [...sent, ...sent].reverse();
    await settle();
    expect(await told(2)).toEqual([1, 2]);
    await api.call("DELETE", `${where.path}/issues/comments/${comment.id}`, { as: owner });
    await settle();
    expect(await told(2)).toEqual([]);
  });
});
