import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueIndex } from "#core/issue/issue.index";
import { type Issue, indexEntry, issueKey } from "#core/issue/issue.table";
import { repositoryCountsWrite } from "#core/repository/counts";
import { put } from "#core/table/write";
import { createApi } from "#functions/api/app";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { fillListIndex } from "#tests/support/fill-list-index";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { openIssue } from "../make.ts";

const limit = 50;

/** A repository of so many issues, compacted; only the items of the tested pages are written. */
interface Filled {
  readonly where: TestRepository;
  readonly issues: readonly Issue[];
  readonly lists: readonly List[];
}

/** A list by its query, and its result by brute force. */
interface List {
  readonly query: string;
  readonly fits: (issue: Issue) => boolean;
  readonly order?: (issue: Issue) => number;
  readonly page: number;
}

/** A list's requests to the table in a process that knows nothing, and in one that has answered it before. */
const costs: Readonly<Record<number, Readonly<Record<string, readonly [cold: string, warm: string]>>>> = {
  1000: {
    "state=all&assigned_by=olga&sort=recentupdate&page=1": [
      "8 requests, 66 read and 0 write units",
      "6 requests, 11 read and 0 write units",
    ],
    "state=all&created_by=olga&sort=mostcomment&page=10": [
      "8 requests, 66 read and 0 write units",
      "6 requests, 11 read and 0 write units",
    ],
    "state=all&labels=one,two&page=5": [
      "6 requests, 64 read and 0 write units",
      "4 requests, 9 read and 0 write units",
    ],
    "state=all&milestones=m&page=1": [
      "7 requests, 64 read and 0 write units",
      "5 requests, 9 read and 0 write units",
    ],
    "state=all&page=20": ["6 requests, 64 read and 0 write units", "4 requests, 9 read and 0 write units"],
    "state=all&page=200": ["3 requests, 11 read and 0 write units", "2 requests, 6 read and 0 write units"],
    "state=all&since=&page=1": [
      "6 requests, 34 read and 0 write units",
      "4 requests, 9 read and 0 write units",
    ],
    "state=closed&type=issues&page=7": [
      "6 requests, 47 read and 0 write units",
      "4 requests, 9 read and 0 write units",
    ],
    "state=open&labels=one,two&page=1": [
      "6 requests, 64 read and 0 write units",
      "4 requests, 9 read and 0 write units",
    ],
    "state=open&page=1": ["6 requests, 64 read and 0 write units", "4 requests, 9 read and 0 write units"],
    "state=open&page=10": ["6 requests, 64 read and 0 write units", "4 requests, 9 read and 0 write units"],
  },
  100000: {
    "state=all&assigned_by=olga&sort=recentupdate&page=1": [
      "8 requests, 598 read and 0 write units",
      "6 requests, 11 read and 0 write units",
    ],
    "state=all&created_by=olga&sort=mostcomment&page=1000": [
      "8 requests, 598 read and 0 write units",
      "6 requests, 11 read and 0 write units",
    ],
    "state=all&labels=one,two&page=500": [
      "6 requests, 596 read and 0 write units",
      "4 requests, 9 read and 0 write units",
    ],
    "state=all&milestones=m&page=1": [
      "7 requests, 596 read and 0 write units",
      "5 requests, 9 read and 0 write units",
    ],
    "state=all&page=2000": [
      "6 requests, 64.5 read and 0 write units",
      "4 requests, 9 read and 0 write units",
    ],
    "state=all&page=20000": [
      "3 requests, 11.5 read and 0 write units",
      "2 requests, 6 read and 0 write units",
    ],
    "state=all&since=&page=1": [
      "6 requests, 596 read and 0 write units",
      "4 requests, 9 read and 0 write units",
    ],
    "state=closed&type=issues&page=7": [
      "7 requests, 65.5 read and 0 write units",
      "5 requests, 10 read and 0 write units",
    ],
    "state=open&labels=one,two&page=1": [
      "6 requests, 596 read and 0 write units",
      "4 requests, 9 read and 0 write units",
    ],
    "state=open&page=1": ["7 requests, 63.5 read and 0 write units", "5 requests, 10 read and 0 write units"],
    "state=open&page=1000": [
      "7 requests, 65.5 read and 0 write units",
      "5 requests, 10 read and 0 write units",
    ],
  },
};

let api: TestApi;
let owner: Caller;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "olga" });
});
afterAll(() => api.stop());

async function fill(count: number): Promise<Filled> {
  const where = await makeRepository(api, owner);
  const made = async (path: string, body: object) =>
    (await api.call("POST", `${where.path}${path}`, { as: owner, body })).json.id;
  const one = await made("/labels", { name: "one", color: "aabbcc" });
  const two = await made("/labels", { name: "two", color: "aabbcc" });
  const milestoneId = await made("/milestones", { title: "m" });
  await openIssue(api, where, owner);
  const { id: repositoryId, shards } = where.repository;
  const first = (await api.forge.table.get<Issue>(issueKey(repositoryId, 1))) as Issue;
  const issueOf = (number: number): Issue => ({
    ...first,
    ...issueKey(repositoryId, number),
    ...{ number, id: number, title: `Issue ${number}`, comments: number },
    ...{ isClosed: number % 3 === 0, closedAt: number % 3 === 0 ? first.createdAt : 0 },
    ...{ labelIds: number % 2 === 0 ? [one] : [one, two], milestoneId: number % 4 === 0 ? milestoneId : 0 },
    ...{ assigneeIds: number % 5 === 0 ? [owner.user.id] : [] },
    // Distinct, and in another order than the numbers.
    updatedAt: first.createdAt + ((number * 7_919) % 100_003),
  });
  const issues = [first, ...Array.from({ length: count - 1 }, (_, at) => issueOf(at + 2))];
  const entries = issues.slice(1).map((issue) => [issue.number, indexEntry(issue)] as const);
  await fillListIndex(api.forge, issueIndex(repositoryId), new Map(entries));
  const closedIssues = issues.filter(({ isClosed }) => isClosed).length;
  const counts = { openIssues: count - 1 - closedIssues, closedIssues };
  await api.forge.table.transact([repositoryCountsWrite(repositoryId, shards, counts)]);
  const lists = listsOf(issues, first.createdAt);
  const shown = new Map(lists.flatMap((list) => rowsOf(issues, list).rows).map((one) => [one.number, one]));
  for (const issue of shown.values()) await api.forge.table.write(put(issue));
  return { where, issues, lists };
}

/** Eight filters and orders, and pages deep in three of them. */
function listsOf(issues: readonly Issue[], begin: number): List[] {
  const since = begin + 98_000;
  const open = ({ isClosed }: Issue) => !isClosed;
  const both = ({ labelIds }: Issue) => labelIds.length === 2;
  const last = Math.ceil(issues.length / limit);
  return [
    { query: "state=open", fits: open, page: 1 },
    { query: "state=closed&type=issues", fits: ({ isClosed }) => isClosed, page: 7 },
    { query: "state=all", fits: () => true, page: last },
    { query: "state=open", fits: open, page: Math.floor(last / 2) },
    { query: "state=open&labels=one,two", fits: (one) => open(one) && both(one), page: 1 },
    { query: "state=all&labels=one,two", fits: both, page: Math.floor(last / 4) },
    { query: "state=all&milestones=m", fits: ({ milestoneId }) => milestoneId > 0, page: 1 },
    {
      query: "state=all&assigned_by=olga&sort=recentupdate",
      fits: ({ assigneeIds }) => assigneeIds.length > 0,
      order: ({ updatedAt }) => updatedAt,
      page: 1,
    },
    {
      query: "state=all&created_by=olga&sort=mostcomment",
      fits: () => true,
      order: ({ comments }) => comments,
      page: Math.floor(last / 2),
    },
    {
      query: `state=all&since=${new Date(since * 1_000).toISOString()}`,
      fits: ({ updatedAt }) => updatedAt >= since,
      page: 1,
    },
    { query: "state=all", fits: () => true, page: 10 * last },
  ];
}

/** The result by brute force. */
function rowsOf(issues: readonly Issue[], { fits, order = ({ number }) => number, page }: List) {
  const all = issues.filter(fits).sort((one, other) => order(other) - order(one));
  return { rows: all.slice((page - 1) * limit, page * limit), total: all.length };
}

/** Asks a process of its own twice: cold, then warm. */
async function ask(path: string) {
  const { forge } = api;
  const app = createApi({ forge: { ...forge, table: { ...forge.table } }, showsCost: true });
  const headers = { authorization: `token ${owner.token}` };
  const call = async () => {
    const answer = await app.request(`/api/v1${path}`, { headers }, { clientAddress: "192.0.2.1" });
    const rows = (await answer.json()) as { number: number }[];
    const cost = answer.headers.get("server-timing")?.match(/table;desc="([^"]*)"/)?.[1] ?? "";
    return { numbers: rows.map(({ number }) => number), total: answer.headers.get("x-total-count"), cost };
  };
  const [cold, warm] = [await call(), await call()];
  expect(warm).toEqual({ ...cold, cost: warm.cost });
  return { ...cold, costs: [cold.cost, warm.cost] as const };
}

describe.each([1_000, 100_000])(
  "issueListIssues: 50 of %i issues, caller and repository included",
  (count) => {
    let filled: Filled;
    beforeAll(async () => {
      filled = await fill(count);
    });

    it("200: by eight filters and orders and on deep pages, rows and totals are what brute force finds (D-TOTAL)", async () => {
      const found: Record<string, readonly [string, string]> = {};
      for (const list of filled.lists) {
        const { rows, total } = rowsOf(filled.issues, list);
        const { query, page } = list;
        const answer = await ask(`${filled.where.path}/issues?limit=${limit}&page=${page}&${query}`);
        expect([query, answer.total, answer.numbers]).toEqual([
          query,
          String(total),
          rows.map(({ number }) => number),
        ]);
        found[`${query.replace(/since=.*/, "since=")}&page=${page}`] = answer.costs;
      }
      expect(found).toEqual(costs[count]);
    });
  },
);
