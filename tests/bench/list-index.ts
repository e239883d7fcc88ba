import type { Forge } from "#core/forge";
import { type IssueFilter, type IssueSort, issueIndex } from "#core/issue/issue.index";
import type { IssueEntry } from "#core/issue/issue-entry";
import { readContents } from "#core/list-index/contents";
import { compact } from "#core/list-index/internal/compaction";
import { deltaWrite, type ListIndex, type ListIndexQuery, listFromIndex } from "#core/list-index/list-index";
import { cacheOf } from "#core/list-index/segments";
import type { ListIndexPlace } from "#core/list-index/view";
import type { RepositoryEntry } from "#core/repository/listing/repository-entry";
import type { RepositoryFilter } from "#core/repository/listing/repository-filter";
import { type RepositorySort, repositoryIndex } from "#core/repository/repository.index";
import { measured } from "#tests/support/measured";
import { fillListIndex } from "../support/fill-list-index.ts";
import { makeForge } from "../support/forge.ts";
import { createRandom } from "../support/random.ts";
import { onItsOwn } from "./apart.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { refRows } from "./git/refs.ts";

const { integer, chance, pick, some } = createRandom(7);
const deltaLength = 57;

/** The cost of lists by index, beside the figures of the design: read units, and CPU of one list. */
export async function listIndexFigures(context: BenchContext): Promise<Figures> {
  const rows = [["list", "entries", "units cold / warm", "design", "CPU ms cold / warm", "design"]];
  for (const count of [1_000, 100_000]) rows.push(...(await issueRows(context, count)));
  rows.push(...(await repositoryRows(context, 10_000)));
  for (const count of [100, 10_000]) rows.push(...(await refRows(context, count)));
  return { title: "List indexes (index part of one list; 57 entries in the delta)", rows };
}

const newest = { by: "latest" } as const;
/** Name, query, and the design's units (1,000 cold / warm; 100,000 cold; warm) and CPU (100,000, cold / warm). */
const issueLists: readonly [string, ListIndexQuery<IssueFilter, IssueSort>, string, string, string][] = [
  ["open, page 1", page({ state: "open" }, newest, 1), "8.5 / 3", "6.5 / 3", "20 / 16"],
  [
    "closed issues, page 7",
    page({ state: "closed", type: "issue" }, newest, 7),
    "8.5 / 3",
    "12 / 3",
    "9 / 13",
  ],
  ["all, last page", page({}, newest, 0), "8.5 / 3", "94.5 / 3", "30 / 25"],
  [
    "two labels and open",
    page({ state: "open", labelGroups: [[1], [2]] }, newest, 1),
    "7.5 / 2",
    "539 / 2",
    "196 / 45",
  ],
  ["milestone", page({ milestoneIds: new Set([3]) }, newest, 1), "7.5 / 2", "539 / 2", "92 / 29"],
  [
    "assignee, by update",
    page({ assigneeId: 5 }, { by: "recentupdate" }, 1),
    "7.5 / 2",
    "539 / 2",
    "105 / 35",
  ],
  ["author, by comments", page({ authorId: 9 }, { by: "mostcomment" }, 1), "7.5 / 2", "539 / 2", "96 / 37"],
  ["since (recent 2 %)", page({ updatedSince: 980_000 }, newest, 1), "7.5 / 2", "93.5 / 2", "35 / 19"],
  [
    "open, by deadline, page 3",
    page({ state: "open" }, { by: "nearduedate" }, 3),
    "7.5 / 2",
    "539 / 2",
    "100 / 28",
  ],
  ["all, by update", page({}, { by: "recentupdate" }, 1), "", "", ""],
];

function page<Filter, Sort>(filter: Filter, sort: Sort, number: number): ListIndexQuery<Filter, Sort> {
  return { filter, sort, page: number, limit: 50 };
}

async function issueRows(context: BenchContext, count: number): Promise<string[][]> {
  const on = await makeForge(onItsOwn(context));
  try {
    const index = issueIndex(1);
    await fillListIndex(on.forge, index, new Map(range(count).map((n) => [n, anyIssue(n / count)])));
    const counting = { countTotal: async () => count };
    // As issues change: most of them among the newest, the others anywhere in sixteen segments.
    for (let at = 0; at < deltaLength; at += 1) {
      const number = chance(0.6)
        ? count - integer(900)
        : Math.max(1, count - 1_024 * integer(16) - integer(900));
      await on.forge.table.write(deltaWrite(index, Math.max(1, number), anyIssue(1), 2));
    }
    const rows: string[][] = [];
    for (const [name, asked, small, large, cpu] of issueLists) {
      const query = { ...asked, ...counting, page: asked.page === 0 ? count / 50 : asked.page };
      const units = count === 1_000 ? small : large;
      rows.push(
        await measureList(on.forge, index, `issues: ${name}`, count, query, [
          units,
          count === 1_000 ? "" : cpu,
        ]),
      );
    }
    rows.push(["memory of all its segments", String(count), `${await memoryOf(on.forge, index)} kB`]);
    rows.push(await compactionRow(on.forge, index, count));
    return rows;
  } finally {
    await on.stop();
  }
}

async function repositoryRows(context: BenchContext, count: number): Promise<string[][]> {
  const on = await makeForge(onItsOwn(context));
  try {
    await fillListIndex(
      on.forge,
      repositoryIndex,
      new Map(range(count).map((id) => [id, anyRepository(id)])),
    );
    for (let at = 0; at < deltaLength; at += 1) {
      const id = 1 + integer(count);
      await on.forge.table.write(deltaWrite(repositoryIndex, id, anyRepository(id), 2));
    }
    const collaborations = new Set(range(200).map(() => integer(count)));
    const accepts: NonNullable<RepositoryFilter["accepts"]> = (one) =>
      !one.isPrivate || one.ownerId === 4 || collaborations.has(one.id) || one.hasTeam(3);
    const texts = { keyword: "forge", searches: { descriptions: true, topics: "part" } };
    const lists: [string, ListIndexQuery<RepositoryFilter, RepositorySort>, string, string][] = [
      ["no keyword, by name, page 1", page({ accepts }, { by: "alpha" }, 1), "78.5 / 10", "36 / 9"],
      [
        "name keyword, by update, page 7",
        page({ accepts, keyword: "ta" }, { by: "updated" }, 7),
        "78.5 / 10",
        "13 / 5",
      ],
      [
        "keyword in topics and description",
        page({ accepts, ...texts }, { by: "alpha" }, 1),
        "156.5 / 10",
        "38 / 19",
      ],
    ];
    const rows: string[][] = [];
    for (const [name, query, units, cpu] of lists) {
      rows.push(
        await measureList(on.forge, repositoryIndex, `repositories: ${name}`, count, query, [units, cpu]),
      );
    }
    rows.push([
      "memory of all its segments",
      String(count),
      `${await memoryOf(on.forge, repositoryIndex)} kB`,
    ]);
    return rows;
  } finally {
    await on.stop();
  }
}

const repeats = 7;

async function measureList<Entry, Filter, Sort>(
  forge: Forge,
  index: ListIndex<Entry, Filter, Sort>,
  name: string,
  count: number,
  query: ListIndexQuery<Filter, Sort>,
  [units, cpu]: readonly [string, string],
): Promise<string[]> {
  const cold = { ...forge, table: { ...forge.table } };
  const first = await measureOne(cold, index, query);
  const warm = [];
  for (let at = 0; at < repeats; at += 1) warm.push(await measureOne(cold, index, query));
  warm.sort((one, other) => one.cpuMs - other.cpuMs);
  const middle = warm[Math.floor(repeats / 2)] ?? first;
  const ours = [`${first.units} / ${middle.units}`, `${first.cpuMs.toFixed(1)} / ${middle.cpuMs.toFixed(1)}`];
  return [name, String(count), ours[0] ?? "", units, ours[1] ?? "", cpu];
}

async function measureOne<Entry, Filter, Sort>(
  forge: Forge,
  index: ListIndex<Entry, Filter, Sort>,
  query: ListIndexQuery<Filter, Sort>,
) {
  const before = process.cpuUsage();
  const { usage } = await measured(() => listFromIndex(forge, index, query));
  const { user, system } = process.cpuUsage(before);
  return { units: usage.tableReadUnits, cpuMs: (user + system) / 1_000 };
}

/** Bytes that the cache holds once everything was read by one process, in kB. */
async function memoryOf(forge: Forge, index: ListIndexPlace): Promise<string> {
  const alone = { ...forge, table: { ...forge.table } };
  await readContents(alone, index);
  return (cacheOf(alone.table).calculatedSize / 1e3).toFixed(0);
}

async function compactionRow(forge: Forge, index: ListIndexPlace, count: number): Promise<string[]> {
  const before = process.cpuUsage();
  const { usage } = await measured(() => compact({ ...forge, table: { ...forge.table } }, index));
  const { user, system } = process.cpuUsage(before);
  const units = `${usage.tableReadUnits} r, ${usage.tableWriteUnits} w`;
  const design = count === 1_000 ? "98 w" : "about 750 w";
  return [
    `compaction of ${deltaLength} changes`,
    String(count),
    units,
    design,
    ((user + system) / 1_000).toFixed(1),
    "",
  ];
}

const range = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** `age` 0 for the oldest, 1 for the newest. */
function anyIssue(age: number): IssueEntry {
  return {
    ...{
      isPull: chance(0.3),
      isClosed: chance(0.8 - age * 0.5),
      isMerged: false,
      isDraft: false,
      isLocked: false,
    },
    ...{ authorId: 1 + integer(200), milestoneId: integer(20), labelIds: some([1, 2, 3, 4, 5, 6], 3) },
    ...{ assigneeIds: chance(0.5) ? [1 + integer(30)] : [], pin: 0, comments: integer(40) },
    ...{
      createdAt: Math.floor(age * 1e6),
      updatedAt: Math.floor(age * 1e6),
      deadline: chance(0.9) ? 0 : integer(1e6),
    },
  };
}

function anyRepository(id: number): RepositoryEntry {
  return {
    ...{
      ownerId: 1 + integer(500),
      name: `${pick(["alpha", "beta", "gamma", "delta"])}-${id}`,
      isPrivate: chance(0.6),
    },
    ...{ isFork: chance(0.2), isMirror: false, isTemplate: false, isArchived: false, isEmpty: false },
    ...{
      units: ["code", "issues", "pulls"],
      teamIds: some([1, 2, 3, 4], 2),
      createdAt: id,
      updatedAt: integer(1e6),
      topics: some(["git", "forge"], 2),
    },
    description: `${pick(["A small", "A large", "Another"])} forge of ${pick(["words", "tools", "things"])}`,
  };
}
