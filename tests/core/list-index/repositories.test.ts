import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bitsOfUnits, unitNames } from "#core/access/modes";
import { compact } from "#core/list-index/internal/compaction";
import { deltaWrite, listFromIndex, tombstoneWrite } from "#core/list-index/list-index";
import {
  decodeRepository,
  encodeRepository,
  type RepositoryActivity,
  type RepositoryEntry,
} from "#core/repository/listing/repository-entry";
import type { RepositoryFilter } from "#core/repository/listing/repository-filter";
import { activityWrite, type RepositoryOrder, repositoryIndex } from "#core/repository/repository.index";
import { fillListIndex } from "#tests/support/fill-list-index";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { createRandom } from "#tests/support/random";

const count = 5_000;
const random = createRandom();
const { integer, chance, pick, some } = random;
const words = ["alpha", "Beta", "gamma", "Delta", "é-tude", "x"];
const topics = ["git", "forge", "cli", "forge-cli"];
const noActivity: RepositoryActivity = { updatedAt: 0, gitBytes: 0, lfsBytes: 0, stars: 0, forks: 0 };

function anyRepository(): RepositoryEntry {
  return {
    ownerId: 1 + integer(4),
    name: `${pick(words)}.${pick(words)}_${integer(30)}`,
    isPrivate: chance(0.3),
    isFork: chance(0.3),
    isMirror: chance(0.2),
    isTemplate: chance(0.2),
    isArchived: chance(0.2),
    isEmpty: chance(0.2),
    units: unitNames.filter(() => chance(0.5)),
    teamIds: some([1, 2, 3, 70_000], 3),
    createdAt: 1_000_000 + integer(50),
    updatedAt: 1_000_000 + integer(50),
    topics: some(topics, 3),
    description: chance(0.3) ? "" : `${pick(words)} makes ${pick(words)} well`,
  };
}

const anyActivity = (): RepositoryActivity => ({
  updatedAt: 1_000_000 + integer(80),
  gitBytes: integer(2 ** 45),
  lfsBytes: integer(5),
  stars: integer(6),
  forks: integer(4),
});

const wiki = bitsOfUnits(["wiki"]);

interface Kept {
  entry: RepositoryEntry;
  activity: RepositoryActivity;
}

function anyFilter(): RepositoryFilter {
  return {
    ...(chance(0.4)
      ? { keyword: pick(["ALPHA", "ta", "É-t", "forge", "makes", "zzz", "ta.", "zzz,TA", "alpha,cli"]) }
      : {}),
    ...(chance(0.4)
      ? {
          searches: {
            names: chance(0.7),
            descriptions: chance(0.5),
            ...(chance(0.5) ? { topics: pick(["whole", "part"] as const) } : {}),
          },
        }
      : {}),
    ...(chance(0.2) ? { ownerIds: new Set(some([1, 2, 3, 4], 3)) } : {}),
    ...(chance(0.2) ? { ids: new Set(Array.from({ length: 60 }, () => 1 + integer(count))) } : {}),
    ...(chance(0.2) ? { teamId: pick([1, 2, 70_000, 9]) } : {}),
    ...(chance(0.2) ? { isPrivate: chance(0.5) } : {}),
    ...(chance(0.2) ? { isFork: chance(0.5) } : {}),
    ...(chance(0.2) ? { isMirror: chance(0.5) } : {}),
    ...(chance(0.1) ? { isTemplate: chance(0.5) } : {}),
    ...(chance(0.1) ? { isArchived: chance(0.5) } : {}),
    ...(chance(0.1) ? { isEmpty: chance(0.5) } : {}),
    ...(chance(0.3)
      ? {
          accepts: (view) =>
            !view.isPrivate || view.ownerId === 2 || view.hasTeam(3) || (view.units & wiki) !== 0,
        }
      : {}),
  };
}

function hasKeyword(entry: RepositoryEntry, { keyword = "", searches = {} }: RepositoryFilter): boolean {
  const { names = true, descriptions = false, topics: topicMatch } = searches;
  const holds = (wanted: string): boolean =>
    (names && entry.name.toLowerCase().includes(wanted)) ||
    (descriptions && (entry.description ?? "").toLowerCase().includes(wanted)) ||
    (topicMatch === "whole" && (entry.topics ?? []).includes(wanted)) ||
    (topicMatch === "part" && (entry.topics ?? []).some((topic) => topic.includes(wanted)));
  return keyword === "" || keyword.toLowerCase().split(",").some(holds);
}

function isWanted(id: number, entry: RepositoryEntry, filter: RepositoryFilter): boolean {
  const isVisible =
    !entry.isPrivate || entry.ownerId === 2 || entry.teamIds.includes(3) || entry.units.includes("wiki");
  const checks: [unknown, boolean][] = [
    [filter.ownerIds, filter.ownerIds?.has(entry.ownerId) === true],
    [filter.ids, filter.ids?.has(id) === true],
    [filter.teamId, entry.teamIds.includes(filter.teamId ?? 0)],
    [filter.isPrivate, entry.isPrivate === filter.isPrivate],
    [filter.isFork, entry.isFork === filter.isFork],
    [filter.isMirror, entry.isMirror === filter.isMirror],
    [filter.isTemplate, entry.isTemplate === filter.isTemplate],
    [filter.isArchived, entry.isArchived === filter.isArchived],
    [filter.isEmpty, entry.isEmpty === filter.isEmpty],
    [filter.accepts, isVisible],
  ];
  return hasKeyword(entry, filter) && checks.every(([asked, holds]) => asked === undefined || holds);
}

function keyOf(id: number, { entry, activity }: Kept, by: RepositoryOrder): number | string {
  const keys = {
    alpha: entry.name.toLowerCase(),
    created: entry.createdAt,
    updated: Math.max(entry.updatedAt, activity.updatedAt),
    size: activity.gitBytes + activity.lfsBytes,
    git_size: activity.gitBytes,
    lfs_size: activity.lfsBytes,
    id,
    stars: activity.stars,
    forks: activity.forks,
  };
  return keys[by];
}

const orders = [
  "alpha",
  "created",
  "updated",
  "size",
  "git_size",
  "lfs_size",
  "id",
  "stars",
  "forks",
] as const;

describe(`repository list index (SEED=${random.seed})`, () => {
  const kept = new Map<number, Kept>();
  let on: TestForge;
  beforeAll(async () => {
    on = await makeForge({ simulation: false });
    for (let id = 1; id <= count; id += 1) kept.set(id, { entry: anyRepository(), activity: noActivity });
    const entries = new Map([...kept].map(([id, { entry }]) => [id, entry]));
    await fillListIndex(on.forge, repositoryIndex, entries);
    const noteSome = async (share: number, version: number) => {
      for (const [id, one] of kept) {
        if (!chance(share)) continue;
        one.activity = anyActivity();
        await on.forge.table.write(activityWrite(id, one.activity, version));
      }
    };
    await noteSome(0.05, 1_000_000_000);
    expect(await compact(on.forge, repositoryIndex)).toMatchObject({ outcome: "compacted", left: 0 });
    for (let change = 0; change < 50; change += 1) await changeAny(1 + integer(count + 20));
    await noteSome(0.01, 1_000_000_001);
  });
  async function changeAny(id: number): Promise<void> {
    const entry = anyRepository();
    const activity = kept.get(id)?.activity ?? noActivity;
    const isEnd = kept.has(id) && chance(0.2);
    const write = isEnd
      ? tombstoneWrite(repositoryIndex, id, entry, 2)
      : deltaWrite(repositoryIndex, id, entry, 2);
    if (isEnd) kept.delete(id);
    else kept.set(id, { entry, activity });
    await on.forge.table.write(write);
  }

  afterAll(() => on.stop());

  const expected = (filter: RepositoryFilter, by: RepositoryOrder, isDescending: boolean) =>
    [...kept]
      .filter(([id, { entry }]) => isWanted(id, entry, filter))
      .map(([id, one]) => ({ id, key: keyOf(id, one, by) }))
      .sort((one, other) => {
        if (one.key === other.key) return one.id - other.id;
        return one.key < other.key === isDescending ? 1 : -1;
      })
      .map(({ id }) => id);

  it("encodes and decodes every entry, the name in lower case", () => {
    const entries = [...kept.values()].map(({ entry }) => entry);
    const packed = entries.map((entry) => Buffer.concat([Buffer.alloc(3), encodeRepository(entry, 7)]));
    expect(packed.map((bytes) => decodeRepository(bytes, 3))).toEqual(
      entries.map(({ topics: _topics, description: _description, ...rest }) => ({
        ...rest,
        name: rest.name.toLowerCase(),
        version: 7,
      })),
    );
  });

  it.each(orders)("list by %s gives the pages and totals of brute force, for random filters", async (by) => {
    for (let round = 0; round < 6; round += 1) {
      const filter = anyFilter();
      const isDescending = chance(0.5);
      const all = expected(filter, by, isDescending);
      const limit = 1 + integer(40);
      const page = 1 + integer(Math.ceil(all.length / limit) + 1);
      const query = { filter, sort: { by, isDescending }, page, limit };
      expect(await listFromIndex(on.forge, repositoryIndex, query), JSON.stringify(query)).toEqual({
        ids: all.slice((page - 1) * limit, page * limit),
        total: all.length,
      });
    }
  });

  it("an order that this process keeps gives the pages of brute force while entries change and are compacted", async () => {
    for (let round = 0; round < 4; round += 1) {
      const ids = Array.from({ length: 40 }, (_, at) => 1_000 * (round + 1) + at);
      for (const id of ids) if (kept.has(id)) await changeAny(id);
      const [by, isDescending] = [pick(orders), chance(0.5)];
      const filter = chance(0.5) ? {} : { isPrivate: false };
      const all = expected(filter, by, isDescending);
      for (const page of [1, 2, 30]) {
        const query = { filter, sort: { by, isDescending }, page, limit: 100 };
        const { ids, total } = await listFromIndex(on.forge, repositoryIndex, query);
        expect([ids, total], JSON.stringify(query)).toEqual([
          all.slice((page - 1) * 100, page * 100),
          all.length,
        ]);
      }
      await compact(on.forge, repositoryIndex);
    }
  });

  it("costs, warm, one query for delta and manifest; texts are loaded for callers who search in them", async () => {
    const cold = { ...on.forge, table: { ...on.forge.table } };
    const sort = { by: "alpha" } as const;
    const search = (filter: RepositoryFilter) =>
      measured(() => listFromIndex(cold, repositoryIndex, { filter, sort, page: 1, limit: 30 }));
    const byName = await search({ keyword: "alpha" });
    const warm = await search({ keyword: "beta" });
    expect(warm.usage.operations).toEqual({ "dynamodb:Query": 1 });
    const inTexts = await search({ keyword: "beta", searches: { descriptions: true } });
    expect(byName.usage.operations["dynamodb:BatchGetItem"]).toBe(1);
    expect(inTexts.usage.operations["dynamodb:BatchGetItem"]).toBe(1);
  });
});

describe("repository list index, two writers of one entry", () => {
  let on: TestForge;
  beforeAll(async () => {
    on = await makeForge();
  });
  afterAll(() => on.stop());

  const query = (keyword: string) =>
    ({ filter: { keyword }, sort: { by: "stars", isDescending: true }, page: 1, limit: 9 }) as const;
  const write = (id: number, stars: number, version: number) =>
    on.forge.table.write(activityWrite(id, { ...noActivity, stars }, version));

  it("an edit keeps the activity, activity keeps the edit, and older activity does not overwrite newer", async () => {
    const entry = anyRepository();
    const table = on.forge.table;
    await table.transact([1, 2].map((id) => deltaWrite(repositoryIndex, id, { ...entry, name: "a" }, 1)));
    expect([await write(1, 1, 100), await write(2, 5, 100)]).toEqual([true, true]);
    await table.transact([deltaWrite(repositoryIndex, 2, { ...entry, name: "ab" }, 2)]);
    expect(await listFromIndex(on.forge, repositoryIndex, query("a"))).toEqual({ ids: [2, 1], total: 2 });
    expect([await write(2, 0, 99), await write(2, 0, 100)]).toEqual([false, false]);
    expect(await write(1, 9, 101)).toBe(true);
    expect(await listFromIndex(on.forge, repositoryIndex, query("a"))).toEqual({ ids: [1, 2], total: 2 });
    expect(await listFromIndex(on.forge, repositoryIndex, query("ab"))).toEqual({ ids: [2], total: 1 });
  });

  it("activity of what is gone or was never there brings nothing back", async () => {
    const entry = { ...anyRepository(), name: "gone" };
    await on.forge.table.transact([deltaWrite(repositoryIndex, 30, entry, 1)]);
    await on.forge.table.transact([tombstoneWrite(repositoryIndex, 30, entry, 2)]);
    await Promise.all([write(30, 3, 200), write(31, 3, 200)]);
    expect(await listFromIndex(on.forge, repositoryIndex, query("gone"))).toEqual({ ids: [], total: 0 });
  });

  it("reads a delta of more than one query's answer", async () => {
    const description = "long ".repeat(9_000);
    const ids = Array.from({ length: 100 }, (_, place) => 1000 + 4 * place);
    for (let at = 0; at < ids.length; at += 25) {
      await on.forge.table.transact(
        ids.slice(at, at + 25).map((id) => {
          const entry = { ...anyRepository(), name: `large-${id}`, description };
          return deltaWrite(repositoryIndex, id, entry, 1);
        }),
      );
    }
    const page = await listFromIndex(on.forge, repositoryIndex, {
      filter: { keyword: "large-" },
      sort: { by: "id" },
      page: 2,
      limit: 60,
    });
    expect(page).toEqual({ ids: ids.slice(60), total: 100 });
  });
});
