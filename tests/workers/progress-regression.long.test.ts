import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { outbox, resendOverdue } from "#core/events/outbox";
import { segmentSweepKind, sweepRefSegments } from "#core/git/store/refs/sweep";
import { dueWrite } from "#core/jobs/due";
import { findStalled, startJob } from "#core/jobs/job";
import { listFromIndex } from "#core/list-index/list-index";
import { manifestKey } from "#core/list-index/list-index.table";
import { sweepSegments } from "#core/list-index/sweep";
import { ownerIndex } from "#core/owner/owner.index";
import { put } from "#core/table/write";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";

let on: TestForge;
let release: () => Promise<void>;
beforeAll(async () => {
  release = await holdStandIns();
});
beforeEach(async () => {
  on = await makeForge({ simulation: false });
});
afterEach(() => on.stop());
afterAll(() => release());

const items = (prefix: string) =>
  Promise.all([0, 1, 2, 3].map((part) => on.forge.table.queryAll({ pk: `${prefix}#${part}` }))).then((all) =>
    all.flat(),
  );

describe("what waits behind something that fails", () => {
  it.each([
    ["segments of list indexes", "segments", sweepSegments],
    ["ref segments", segmentSweepKind, sweepRefSegments],
  ] as const)(
    "is swept: %s go past a damaged item, which is told and comes later",
    async (_, kind, sweep) => {
      const { forge, clock } = on;
      for (let number = 0; number < 60; number += 1) {
        await forge.table.write(dueWrite(kind, clock.now(), `bad-${number}`, { keys: 7, repositoryId: "?" }));
      }
      for (let number = 0; number < 4; number += 1) {
        const due = { partition: "DIR#user", repositoryId: 5, keys: [] };
        await forge.table.write(dueWrite(kind, clock.now() + 1, `good-${number}`, due));
      }
      clock.advance(10);
      expect((await sweep(forge)) + (await sweep(forge))).toBe(4);
      expect(await items(`DUE#${kind}`)).toHaveLength(60);
      expect(on.logged.filter(({ event }) => event === "due:failed").length).toBeGreaterThanOrEqual(60);
    },
  );

  it("is started: jobs behind more stalled ones than one tick takes", async () => {
    const { forge, clock } = on;
    for (let number = 0; number < 300; number += 1) {
      const job = startJob(forge, "broken", {}, { id: `a${String(number).padStart(4, "0")}-0` });
      await forge.table.write(job.write);
    }
    const last = startJob(forge, "whole", {}, { id: "zz-0" });
    await forge.table.write(last.write);
    clock.advance(61_000);
    const stalled = [...(await findStalled(forge)), ...(await findStalled(forge))];
    const started = stalled.map(({ id }) => id);
    expect(started).toContain("zz-0");
    expect(new Set(started).size).toBe(301);
  });

  it("is sent: messages behind more refused ones than one tick takes", async () => {
    const { forge, clock } = on;
    const refused = Array.from({ length: 40 }, () => outbox(forge, "webhooks", { kind: "bad" }));
    for (const { write } of refused) await forge.table.write(write);
    clock.advance(1);
    const good = Array.from({ length: 8 }, () => outbox(forge, "webhooks", { kind: "good" }));
    for (const { write } of good) await forge.table.write(write);
    on.faults.inject({
      service: "sqs",
      operation: "SendMessageBatch",
      fault: { refuses: (body) => body.includes('"bad"') },
      times: 1_000,
    });
    clock.advance(61_000);
    for (let tick = 0; tick < 40; tick += 1) await resendOverdue(forge, 2);
    const taken = await on.queues.take("webhooks");
    expect(new Set(taken.map(({ eventId }) => eventId)).size).toBe(8);
  });
});

describe("a list index whose manifest is damaged", () => {
  it("answers 503 once and is written anew by a job", async () => {
    const { forge } = on;
    await forge.table.write(put({ ...manifestKey("DIR#user"), g: 3, s: Buffer.from("noise"), _v: 1 }));
    const query = { filter: {}, sort: { by: "id" }, page: 1, limit: 10 } as const;
    await expect(listFromIndex(forge, ownerIndex, query)).rejects.toThrow("is being written anew");
    await on.queues.drain("repository-events", (event) => repositoryEventsWorker(forge, event));
    expect((await listFromIndex(forge, ownerIndex, query)).total).toBe(0);
  });
});
