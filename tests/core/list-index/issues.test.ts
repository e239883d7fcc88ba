import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { type IssueFilter, type IssueSort, issueIndex } from "#core/issue/issue.index";
import { decodeIssue, encodeIssue, type IssueEntry } from "#core/issue/issue-entry";
import { deltaWrite, listFromIndex, tombstoneWrite } from "#core/list-index/list-index";
import { equals } from "#core/table/condition";
import { put } from "#core/table/write";
import { fillListIndex } from "#tests/support/fill-list-index";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { createRandom } from "#tests/support/random";
import { expected } from "./brute-force.ts";

const count = 5_000;
const random = createRandom();
const { integer, chance, pick, some } = random;
const labels = [1, 2, 3, 4, 5, 300_000];
const users = [-1, 1, 2, 3, 4];
const milestones = [0, 7, 8, 9];
const branches = [1, 2, 3].map((byte) => Buffer.alloc(8, byte));
const milestoneDeadlines = new Map([
  [7, 1_000_050],
  [8, 1_000_070],
]);

function anyIssue(): IssueEntry {
  const isPull = chance(0.3);
  return {
    isPull,
    ...(isPull ? { branches: Buffer.concat([pick(branches), pick(branches)]) } : {}),
    isClosed: chance(0.4),
    isMerged: chance(0.1),
    isDraft: chance(0.1),
    isLocked: chance(0.1),
    authorId: pick(users),
    milestoneId: pick(milestones),
    labelIds: some(labels, 4),
    assigneeIds: some([1, 2, 3], 2),
    pin: integer(3),
    comments: integer(20),
    createdAt: 1_000_000 + integer(50),
    updatedAt: 1_000_000 + integer(100),
    deadline: chance(0.5) ? 0 : 1_000_000 + integer(100),
  };
}

function anyFilter(): IssueFilter {
  return {
    ...(chance(0.5) ? { state: pick(["open", "closed"] as const) } : {}),
    ...(chance(0.4) ? { type: pick(["issue", "pull"] as const) } : {}),
    ...(chance(0.1) ? { isMerged: chance(0.5) } : {}),
    ...(chance(0.1) ? { isDraft: chance(0.5) } : {}),
    ...(chance(0.2) ? { branches: { base: pick(branches) } } : {}),
    ...(chance(0.1) ? { branches: { head: pick(branches) } } : {}),
    ...(chance(0.5)
      ? { labelGroups: [some(labels, 3), some(labels, 2)].slice(0, 1 + some([0], 1).length) }
      : {}),
    ...(chance(0.3) ? { milestoneIds: new Set(some(milestones, 2)) } : {}),
    ...(chance(0.2) ? { authorId: pick(users) } : {}),
    ...(chance(0.2) ? { assigneeId: pick([1, 2, 3, 9]) } : {}),
    ...(chance(0.3) ? { updatedSince: 1_000_000 + integer(100) } : {}),
    ...(chance(0.3) ? { updatedBefore: 1_000_000 + integer(100) } : {}),
    ...(chance(0.2) ? { numbers: new Set(Array.from({ length: 80 }, () => 1 + integer(count))) } : {}),
  };
}

const orders = [
  "latest",
  "oldest",
  "recentupdate",
  "leastupdate",
  "mostcomment",
  "leastcomment",
  "nearduedate",
  "farduedate",
] as const;

describe(`issue list index (SEED=${random.seed})`, () => {
  const repositoryId = 12;
  const index = issueIndex(repositoryId);
  const issues = new Map<number, IssueEntry>();
  let on: TestForge;
  beforeAll(async () => {
    on = await makeForge({ simulation: false });
    for (let number = 1; number <= count; number += 1) issues.set(number, anyIssue());
    await fillListIndex(on.forge, index, issues);
    for (let change = 0; change < 60; change += 1) await changeAny(1 + integer(count + 20));
  });
  async function changeAny(number: number): Promise<void> {
    const entry = anyIssue();
    const isEnd = issues.has(number) && chance(0.2);
    const write = isEnd ? tombstoneWrite(index, number, entry, 2) : deltaWrite(index, number, entry, 2);
    if (isEnd) issues.delete(number);
    else issues.set(number, entry);
    await on.forge.table.write(write);
  }

  afterAll(() => on.stop());

  it("encodes and decodes every entry", () => {
    const entries = [...issues.values()].map((entry) => ({ ...entry, version: 1 + integer(1000) }));
    const packed = entries.map(({ version, ...entry }) => encodeIssue(entry, version));
    const sizeOf = ({ labelIds, assigneeIds, isPull }: IssueEntry) =>
      32 + 4 * (labelIds.length + assigneeIds.length) + (isPull ? 16 : 0);
    expect(packed.map(({ length }) => length)).toEqual(entries.map(sizeOf));
    const behind = packed.map((bytes) => Buffer.concat([Buffer.alloc(5), bytes]));
    expect(behind.map((bytes) => decodeIssue(bytes, 5))).toEqual(entries);
  });

  it("keeps what is too large as the largest that fits, and refuses an unknown format", () => {
    const packed = encodeIssue({ ...anyIssue(), deadline: 253_402_300_799, comments: 2 ** 30, pin: 999 }, 1);
    expect(decodeIssue(packed, 0)).toMatchObject({ deadline: 2 ** 32 - 1, comments: 2 ** 24 - 1, pin: 255 });
    packed[0] = 9;
    expect(() => decodeIssue(packed, 0)).toThrow("unknown format 9");
  });

  /** With segments in memory, or as an instance that has just started. */
  const coldOrWarm = (): Forge => (chance(0.3) ? { ...on.forge, table: { ...on.forge.table } } : on.forge);

  it("list of newest issues by state and type gives the pages and totals of brute force", async () => {
    for (let round = 0; round < 30; round += 1) {
      const state = chance(0.7) ? { state: pick(["open", "closed"] as const) } : {};
      const filter = { ...state, ...(chance(0.5) ? { type: pick(["issue", "pull"] as const) } : {}) };
      const all = expected(issues, filter, { by: "latest" });
      const countTotal = chance(0.5) ? {} : { countTotal: async () => all.length };
      const limit = integer(51);
      const page = 1 + integer(Math.ceil(all.length / Math.max(limit, 1)) + 1);
      const query = { filter, sort: { by: "latest" }, page, limit, ...countTotal } as const;
      expect(await listFromIndex(coldOrWarm(), index, query), JSON.stringify(query)).toEqual({
        ids: all.slice((page - 1) * limit, page * limit),
        total: all.length,
      });
    }
  });

  it.each(orders)("list by %s gives the pages and totals of brute force, for random filters", async (by) => {
    for (let round = 0; round < 6; round += 1) {
      const filter = anyFilter();
      const sort: IssueSort = chance(0.5) ? { by } : { by, milestoneDeadlines };
      const countTotal = chance(0.5) ? {} : { countTotal: async () => all.length };
      const all = expected(issues, filter, sort);
      const limit = 1 + integer(50);
      const page = 1 + integer(Math.ceil(all.length / limit) + 1);
      const found = await listFromIndex(coldOrWarm(), index, {
        filter,
        sort,
        page,
        limit,
        ...countTotal,
      });
      expect(found, JSON.stringify({ filter, sort, page, limit })).toEqual({
        ids: all.slice((page - 1) * limit, page * limit),
        total: all.length,
      });
    }
  });

  it("list with a limit of 0 gives the total alone, and a page far past the end none", async () => {
    const sort = { by: "latest" } as const;
    expect(await listFromIndex(on.forge, index, { filter: {}, sort, page: 1, limit: 0 })).toEqual({
      ids: [],
      total: issues.size,
    });
    expect(await listFromIndex(on.forge, index, { filter: {}, sort, page: 1e9, limit: 50 })).toEqual({
      ids: [],
      total: issues.size,
    });
    const byUpdate = { by: "recentupdate" } as const;
    expect(
      await listFromIndex(on.forge, index, { filter: {}, sort: byUpdate, page: 1e9, limit: 50 }),
    ).toEqual({
      ids: [],
      total: issues.size,
    });
  });

  it("costs, warm, one query for delta and manifest; cold, the segments that the page needs", async () => {
    const cold = { ...on.forge, table: { ...on.forge.table } };
    const query = {
      filter: {},
      sort: { by: "latest" },
      page: 1,
      limit: 30,
      countTotal: async () => issues.size,
    } as const;
    const first = await measured(() => listFromIndex(cold, index, query));
    expect(first.usage.operations).toEqual({
      "dynamodb:Query": 1,
      "dynamodb:BatchGetItem": 1,
    });
    expect(first.usage.tableReadUnits).toBeLessThan(12);
    const second = await measured(() => listFromIndex(cold, index, query));
    expect(second.usage.operations).toEqual({ "dynamodb:Query": 1 });
  });
});

describe("issue list index, changes", () => {
  let on: TestForge;
  beforeAll(async () => {
    on = await makeForge();
  });
  afterAll(() => on.stop());

  it("lists a change right after its transaction, and drops what is gone", async () => {
    const index = issueIndex(5);
    const entry = { ...anyIssue(), isClosed: false };
    const open = () =>
      listFromIndex(on.forge, index, {
        filter: { state: "open" },
        sort: { by: "oldest" },
        page: 1,
        limit: 9,
      });
    await on.forge.table.transact([1, 2, 3].map((number) => deltaWrite(index, number, entry, 1)));
    expect(await open()).toEqual({ ids: [1, 2, 3], total: 3 });
    await on.forge.table.transact([deltaWrite(index, 2, { ...entry, isClosed: true }, 2)]);
    expect(await open()).toEqual({ ids: [1, 3], total: 2 });
    await on.forge.table.transact([tombstoneWrite(index, 1, entry, 2)]);
    expect(await open()).toEqual({ ids: [3], total: 1 });
  });

  it("after many writers at once of one issue, the entry is the issue's last version", async () => {
    const { table } = on.forge;
    const index = issueIndex(7);
    const key = { pk: "I#7.1", sk: "#" };
    const first = { ...anyIssue(), comments: 0 };
    await table.transact([put({ ...key, comments: 0, v: 1 }), deltaWrite(index, 1, first, 1)]);
    const comment = async (): Promise<void> => {
      for (;;) {
        const issue = await table.get(key);
        const [v, comments] = [Number(issue?.v), Number(issue?.comments) + 1];
        const { committed } = await table.transact([
          put({ ...key, comments, v: v + 1 }, equals({ v })),
          deltaWrite(index, 1, { ...first, comments }, v + 1),
        ]);
        if (committed) return;
      }
    };
    await Promise.all(Array.from({ length: 20 }, comment));
    const item = await table.get({ pk: "R#7#DIR", sk: "T#0000000001" });
    const entry = decodeIssue(Buffer.from(item?.e as Uint8Array), 0);
    expect(entry).toEqual({ ...first, comments: 20, version: 21 });
    expect(item?.v).toBe(21);
  });

  it("keeps repositories apart, also from words that lie in the same partition", async () => {
    const entry = anyIssue();
    const index = issueIndex(6);
    await on.forge.table.transact([
      deltaWrite(index, 1, entry, 1),
      { put: { pk: "R#6#DIR", sk: "W#1.0", v: 1, _v: 1 } },
    ]);
    const query = { filter: {}, sort: { by: "latest" }, page: 1, limit: 9 } as const;
    expect(await listFromIndex(on.forge, index, query)).toEqual({ ids: [1], total: 1 });
    expect(await listFromIndex(on.forge, issueIndex(60), query)).toEqual({ ids: [], total: 0 });
  });
});
