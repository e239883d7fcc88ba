import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findListingRules } from "#core/access/listed-repositories";
import type { Forge } from "#core/forge";
import type { Grouping, Groups } from "#core/list-index/groups";
import { compact } from "#core/list-index/internal/compaction";
import { deltaWrite, readGroups, tombstoneWrite } from "#core/list-index/list-index";
import { segmentKey } from "#core/list-index/list-index.table";
import { readManifest } from "#core/list-index/manifest";
import { cacheOf } from "#core/list-index/segments";
import { byVisibility, ownerIndex, visibilityGroup } from "#core/owner/owner.index";
import type { OwnerEntry } from "#core/owner/owner-entry";
import { remove } from "#core/table/write";
import { createUser } from "#core/user/create";
import { fillListIndex } from "#tests/support/fill-list-index";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";

const random = createRandom();
const { integer, chance, pick } = random;
const visibilities = ["public", "public", "limited", "private"] as const;

const entry = (changes: Partial<OwnerEntry> = {}): OwnerEntry => ({
  ...{
    isOrganization: false,
    name: "ann",
    fullName: "",
    isActive: true,
    isAdmin: false,
    isRestricted: false,
  },
  ...{ isLoginProhibited: false, isBot: false, visibility: "public", loginSourceId: 0, loginName: "" },
  ...{ createdAt: 1, updatedAt: 1, ...changes },
});
const anyEntry = () => entry({ isOrganization: chance(0.3), visibility: pick(visibilities) });
const another = (forge: Forge): Forge => ({ ...forge, table: { ...forge.table } });
const groupOf = ({ isOrganization, visibility }: OwnerEntry) => visibilityGroup(isOrganization, visibility);

/** The same, and how many entries were looked at. */
function counted(): Grouping & { looks: number } {
  const grouping = {
    name: byVisibility.name,
    looks: 0,
    groupOf(row: Parameters<Grouping["groupOf"]>[0]) {
      grouping.looks += 1;
      return byVisibility.groupOf(row);
    },
  };
  return grouping;
}

beforeAll(holdStandIns);

describe(`groups of a list index (SEED=${random.seed})`, () => {
  it("are those of what was acknowledged, in any process, through changes, ends and compactions", async () => {
    const on = await makeForge({ simulation: false });
    try {
      const { forge } = on;
      const entries = new Map(Array.from({ length: 700 }, (_, at) => [1 + at, anyEntry()]));
      const expectThose = async (groups: Groups, said: string) => {
        const told = Array.from({ length: 760 }, (_, id) => groups.groupOf(id));
        const all = Array.from({ length: 760 }, (_, id) => {
          const user = entries.get(id);
          return user === undefined ? 0 : groupOf(user);
        });
        expect(told, said).toEqual(all);
        for (const [id, user] of entries)
          if (groupOf(user) !== 0) expect(groups.mayHave(1 << groupOf(user)), `${said}: ${id}`).toBe(true);
      };
      await fillListIndex(forge, ownerIndex, entries);
      let version = 1;
      for (let round = 0; round < 30; round += 1) {
        const id = 1 + integer(750);
        const user = anyEntry();
        const isStale = entries.has(id) && chance(0.1);
        const isEnd = entries.has(id) && !isStale && chance(0.3);
        version += 1;
        // A delta with an older version than its segment's entry says nothing.
        if (isStale) await compact(forge, ownerIndex);
        const write = isEnd ? tombstoneWrite : deltaWrite;
        await forge.table.write(write(ownerIndex, id, user, isStale ? 0 : version));
        if (isEnd) entries.delete(id);
        else if (!isStale) entries.set(id, user);
        if (chance(0.1)) await compact(forge, ownerIndex);
        const groups = await readGroups(forge, ownerIndex, byVisibility);
        await expectThose(groups, `round ${round}`);
        const other = await readGroups(another(forge), ownerIndex, byVisibility);
        await expectThose(other, `round ${round}, another process`);
        const again = await readGroups(forge, ownerIndex, byVisibility);
        expect(again.version, "nothing has changed").toBe(groups.version);
      }
    } finally {
      await on.stop();
    }
  });
});

describe("groups of 20,000 users", () => {
  let on: TestForge;
  let forge: Forge;
  beforeAll(async () => {
    on = await makeForge({ simulation: false });
    forge = on.forge;
    const ids = Array.from({ length: 20_000 }, (_, at) => 1 + at);
    await fillListIndex(forge, ownerIndex, new Map(ids.map((id) => [id, entry()])));
  });
  afterAll(() => on.stop());

  it("are told by looking at what has changed alone, once the segments were read", async () => {
    const grouping = counted();
    const read = async () => {
      grouping.looks = 0;
      const groups = await readGroups(forge, ownerIndex, grouping);
      return { groups, looks: grouping.looks };
    };
    const cold = await read();
    expect(cold.looks).toBe(20_000);
    const warm = await read();
    expect([warm.looks, warm.groups.version]).toEqual([0, cold.groups.version]);
    const hidden = entry({ visibility: "private" });
    await forge.table.write(deltaWrite(ownerIndex, 17_000, hidden, 2));
    const changed = await read();
    expect([changed.looks, changed.groups.groupOf(17_000)]).toEqual([1, groupOf(hidden)]);
    expect(changed.groups.version).not.toBe(cold.groups.version);
    await forge.table.write(deltaWrite(ownerIndex, 17_000, entry(), 3));
    expect((await read()).groups.groupOf(17_000)).toBe(0);
  });

  it("hide users who hide in the next list, by any process, and show users who show themselves", async () => {
    const processes = [forge, another(forge)];
    const known = (id: number) =>
      Promise.all(processes.map(async (one) => (await findListingRules(one, undefined)).mayKnow(id)));
    expect(await known(300)).toEqual([true, true]);
    await forge.table.write(deltaWrite(ownerIndex, 300, entry({ visibility: "limited" }), 2));
    expect(await known(300)).toEqual([false, false]);
    await compact(forge, ownerIndex);
    expect(await known(300)).toEqual([false, false]);
    await forge.table.write(deltaWrite(ownerIndex, 300, entry(), 3));
    expect(await known(300)).toEqual([true, true]);
  });
});

describe("groups of a list index whose segments break", () => {
  it("are read from the items", async () => {
    const on = await makeForge({ simulation: false });
    try {
      const { forge } = on;
      const given = { name: "ann", email: "ann@example.com", password: "correct-horse-9" };
      const { id } = await createUser(forge, { ...given, visibility: "private" });
      await compact(forge, ownerIndex);
      const [segment] = (await readManifest(forge, ownerIndex)).segments;
      const key = segmentKey(ownerIndex.partition, segment?.first ?? 0, segment?.id ?? "");
      expect(await forge.table.get(key)).toBeDefined();
      await forge.table.write(remove(key));
      cacheOf(forge.table).clear();
      for (const one of [forge, another(forge)])
        expect((await readGroups(one, ownerIndex, byVisibility)).groupOf(id)).toBe(2);
    } finally {
      await on.stop();
    }
  });
});
