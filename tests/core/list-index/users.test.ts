import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deltaWrite, listFromIndex, tombstoneWrite } from "#core/list-index/list-index";
import { type OwnerFilter, type OwnerOrder, ownerIndex } from "#core/owner/owner.index";
import { decodeOwner, encodeOwner, type OwnerEntry } from "#core/owner/owner-entry";
import { fillListIndex } from "#tests/support/fill-list-index";
import { makeForge, type TestForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";

const count = 5_000;
const random = createRandom();
const { integer, chance, pick } = random;
const visibilities = ["public", "limited", "private"] as const;

function anyUser(): OwnerEntry {
  return {
    isOrganization: chance(0.3),
    name: `${pick(["Ann", "bob", "Chris", "dee"])}${integer(40)}`,
    fullName: pick(["", "Ann Lee", "Ærøskøbing Bø", "李 雷"]),
    isActive: chance(0.8),
    isAdmin: chance(0.2),
    isRestricted: chance(0.2),
    isLoginProhibited: chance(0.2),
    isBot: chance(0.1),
    visibility: pick(visibilities),
    loginSourceId: integer(3),
    loginName: pick(["", "uid=Ann,dc=x", "bob"]),
    createdAt: 1_000_000 + integer(30),
    updatedAt: 1_000_000 + integer(30),
  };
}

function anyFilter(): OwnerFilter {
  const keyword = pick(["ANN", "o", "ÆRØ", "雷", "1"]);
  return {
    ...(chance(0.4) ? { isOrganization: chance(0.5) } : {}),
    ...(chance(0.4) ? { keyword } : {}),
    ...(chance(0.2) ? { keyword, keywordIds: new Set([1, 2, 3]) } : {}),
    ...(chance(0.2) ? { ids: new Set(Array.from({ length: 50 }, () => 1 + integer(150))) } : {}),
    ...(chance(0.2) ? { isActive: chance(0.5) } : {}),
    ...(chance(0.2) ? { isAdmin: chance(0.5) } : {}),
    ...(chance(0.1) ? { isRestricted: chance(0.5) } : {}),
    ...(chance(0.1) ? { isLoginProhibited: chance(0.5) } : {}),
    ...(chance(0.1) ? { isBot: chance(0.5) } : {}),
    ...(chance(0.2) ? { visibility: pick(visibilities) } : {}),
    ...(chance(0.2) ? { loginSourceId: integer(3) } : {}),
    ...(chance(0.2) ? { loginName: pick(["BOB", "uid=ann,dc=x", "bo"]) } : {}),
    ...(chance(0.3) ? { accepts: (view) => view.visibility === "public" || view.id % 2 === 0 } : {}),
  };
}

function isWanted(id: number, user: OwnerEntry, filter: OwnerFilter): boolean {
  const lower = (filter.keyword ?? "").toLowerCase();
  const isFound =
    user.name.toLowerCase().includes(lower) ||
    user.fullName.toLowerCase().includes(lower) ||
    filter.keywordIds?.has(id) === true;
  const flags = ["isOrganization", "isActive", "isAdmin", "isRestricted", "isLoginProhibited"] as const;
  const checks: [unknown, boolean][] = [
    [filter.keyword, isFound],
    [filter.ids, filter.ids?.has(id) === true],
    ...flags.map((flag): [unknown, boolean] => [filter[flag], user[flag] === filter[flag]]),
    [filter.isBot, user.isBot === filter.isBot],
    [filter.visibility, user.visibility === filter.visibility],
    [filter.loginSourceId, user.loginSourceId === filter.loginSourceId],
    [filter.loginName, user.loginName.toLowerCase() === filter.loginName?.toLowerCase()],
    [filter.accepts, user.visibility === "public" || id % 2 === 0],
  ];
  return checks.every(([asked, holds]) => asked === undefined || holds);
}

function compare(order: OwnerOrder, one: [number, OwnerEntry], other: [number, OwnerEntry]): number {
  const isBackwards = order === "reversealphabetically" || order === "newest" || order === "recentupdate";
  const key = ([id, user]: [number, OwnerEntry]) => {
    if (order === "id") return id;
    if (order === "newest" || order === "oldest") return user.createdAt;
    return order === "recentupdate" || order === "leastupdate" ? user.updatedAt : user.name.toLowerCase();
  };
  const [first, second] = isBackwards ? [other, one] : [one, other];
  if (key(first) === key(second)) return first[0] - second[0];
  return key(first) < key(second) ? -1 : 1;
}

const orders = [
  "alphabetically",
  "reversealphabetically",
  "newest",
  "oldest",
  "recentupdate",
  "leastupdate",
  "id",
] as const;

describe(`user list index (SEED=${random.seed})`, () => {
  const users = new Map<number, OwnerEntry>();
  let on: TestForge;
  beforeAll(async () => {
    on = await makeForge({ simulation: false });
    for (let id = 1; id <= count; id += 1) users.set(id, anyUser());
    await fillListIndex(on.forge, ownerIndex, users);
    for (let change = 0; change < 60; change += 1) {
      const id = 1 + integer(count + 20);
      const user = anyUser();
      const isEnd = users.has(id) && chance(0.2);
      await on.forge.table.write((isEnd ? tombstoneWrite : deltaWrite)(ownerIndex, id, user, 2));
      if (isEnd) users.delete(id);
      else users.set(id, user);
    }
  });
  afterAll(() => on.stop());

  it("encodes and decodes every entry, texts in lower case", () => {
    for (const user of users.values()) {
      const packed = Buffer.concat([Buffer.alloc(2), encodeOwner(user, 3)]);
      expect(decodeOwner(packed, 2)).toEqual({
        ...user,
        name: user.name.toLowerCase(),
        fullName: user.fullName.toLowerCase(),
        loginName: user.loginName.toLowerCase(),
        version: 3,
      });
    }
  });

  it("cuts a text that is too long between characters", () => {
    const user = { ...anyUser(), fullName: "雷".repeat(400) };
    expect(decodeOwner(encodeOwner(user, 1), 0).fullName).toBe("雷".repeat(341));
  });

  it.each(orders)("list by %s gives the pages and totals of brute force, for random filters", async (by) => {
    for (let round = 0; round < 6; round += 1) {
      const filter = anyFilter();
      const all = [...users]
        .filter(([id, user]) => isWanted(id, user, filter))
        .sort((one, other) => compare(by, one, other))
        .map(([id]) => id);
      const limit = 1 + integer(30);
      const page = 1 + integer(Math.ceil(all.length / limit) + 1);
      const query = { filter, sort: { by }, page, limit };
      expect(await listFromIndex(on.forge, ownerIndex, query), JSON.stringify(query)).toEqual({
        ids: all.slice((page - 1) * limit, page * limit),
        total: all.length,
      });
    }
  });

  it("drops who is gone", async () => {
    const user = { ...anyUser(), name: "leaving" };
    const query = { filter: { keyword: "leaving" }, sort: { by: "id" }, page: 1, limit: 9 } as const;
    await on.forge.table.transact([deltaWrite(ownerIndex, 90_000, user, 1)]);
    expect(await listFromIndex(on.forge, ownerIndex, query)).toEqual({ ids: [90_000], total: 1 });
    await on.forge.table.transact([tombstoneWrite(ownerIndex, 90_000, user, 2)]);
    expect(await listFromIndex(on.forge, ownerIndex, query)).toEqual({ ids: [], total: 0 });
  });
});
