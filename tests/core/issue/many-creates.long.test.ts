import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueSequenceKey, lastNumber } from "#core/ids";
import { createIssue } from "#core/issue/issue";
import { listIssues } from "#core/issue/listing/list";
import { checkRepository } from "#core/lifecycle/check/check";
import { userPartition } from "#core/owner/owner.table";
import { makeForge, type TestForge } from "#tests/support/forge";
import { holdTimeStill } from "#tests/support/still-time";
import { accessAgain, makeTracker, sumOf, type Tracker } from "./make.ts";

const creates = 200;

/** One create: when it began and ended, as places in the order of all beginnings and ends. */
interface Create {
  readonly began: number;
  readonly ended: number;
  /** Absent when it was refused. */
  readonly number?: number;
}

describe("issue.create, 200 in one repository, transactions held 10 ms and refused on conflicts", () => {
  let test: TestForge;
  let tracker: Tracker;
  let now = 0;
  beforeAll(async () => {
    test = await makeForge({ simulation: { holdMs: 10 } });
  });
  afterAll(() => test.stop());

  async function create(): Promise<Create> {
    now += 1;
    const began = now;
    const made = await createIssue(test.forge, tracker.access, { title: "An issue" }, tracker.actor).catch(
      () => undefined,
    );
    now += 1;
    return { began, ended: now, ...(made === undefined ? {} : { number: made.number }) };
  }

  async function runAll(clients: number): Promise<Create[]> {
    const client = async () => {
      const done: Create[] = [];
      for (let at = 0; at < creates / clients; at += 1) done.push(await create());
      return done;
    };
    return (await Promise.all(Array.from({ length: clients }, client))).flat();
  }

  it.each([
    { clients: creates, refused: 0 },
    { clients: 20, refused: 0 },
    { clients: 20, refused: 9 },
    { clients: creates, refused: 9 },
  ])(
    "D-NUMBER: by $clients clients, $refused refused: numbers rise and are given once, gaps only where one failed, counts, list and rows exact",
    async ({ clients, refused }) => {
      holdTimeStill(); // no create gives up for the time that 200 take together
      tracker = await makeTracker(test.forge);
      const { id } = tracker.access.repository;
      test.faults.inject({
        ...{ service: "dynamodb", operation: "TransactWriteItems", fault: new Error("refused") },
        ...{ skip: 40, times: refused },
      });
      const done = await runAll(clients);
      test.faults.recover();
      const numbers = done.flatMap(({ number }) => number ?? []);
      expect(done.length - numbers.length).toBe(refused);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(await lastNumber(test.forge.table, issueSequenceKey(id))).toBe(creates);
      expect(Math.max(...numbers)).toBeLessThanOrEqual(creates);
      for (const { ended, number: former = 0 } of done) {
        for (const later of done) {
          if (later.began > ended && later.number !== undefined) expect(later.number).toBeGreaterThan(former);
        }
      }
      expect(await sumOf(test.forge, id, "openIssues")).toBe(numbers.length);
      const access = await accessAgain(test.forge, tracker.actor, id);
      const query = { state: "open", order: "latest", page: 1, limit: 50 } as const;
      const { items, total } = await listIssues(test.forge, access, query);
      expect(total).toBe(numbers.length);
      const newest = numbers.toSorted((one, other) => other - one).slice(0, 50);
      expect(items.map(({ number }) => number)).toEqual(newest);
      const own = { pk: `${userPartition(tracker.actor.user.id)}#I`, prefix: "c#" };
      const listed = (await test.forge.table.queryAll(own)).map((row) => row.number);
      expect(new Set(listed)).toEqual(new Set(numbers));
      expect(await checkRepository(test.forge, id)).toEqual([]);
    },
  );
});
