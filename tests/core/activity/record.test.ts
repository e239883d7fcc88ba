import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Activity,
  activitiesIn,
  countsOf,
  type HourCount,
  hourKey,
  lastActivityKey,
  ownerActivities,
  repositoryActivities,
} from "#core/activity/activity.table";
import { readFeedOfUser } from "#core/activity/feed";
import { findScene, mostCountedAnHour, recordActivities } from "#core/activity/record";
import type { Repository } from "#core/repository/repository.table";
import { starAndWatchItems } from "#core/star-watch/star-watch.table";
import { put } from "#core/table/write";
import { feedOf, heatOf } from "#tests/api/activity/make";
import { tableRequests } from "#tests/api/issue/make";
import {
  makeOrganization,
  makeRepository as makeOrganizationsRepository,
} from "#tests/api/organization/make";
import { makeRepository } from "#tests/api/repository/make";
import { addWatchers } from "#tests/core/notification/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsAcross } from "#tests/support/findings";
import { measured } from "#tests/support/measured";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { writeMany } from "#tests/support/write-many";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ isAdmin: true });
});
afterAll(async () => {
  expect((await findingsAcross(api)).filter(({ invariant }) => invariant === 53)).toEqual([]);
  await api.stop();
});

let events = 0;
const eventOf = ({ id: repositoryId }: Pick<Repository, "id">, actor = alice) => {
  events += 1;
  api.clock.advance(1000);
  return { eventId: `event-${events}`, repositoryId, actorId: actor.user.id, at: api.clock.now() };
};
type Origin = ReturnType<typeof eventOf>;

/** As the worker does it, whose message may come again. */
async function record(origin: Origin, deeds = 1): Promise<void> {
  const scene = await findScene(api.forge, origin);
  if (scene === undefined) throw new Error("nobody is there");
  const all = Array.from({ length: deeds }, (_, number) => ({ type: "create_issue", number }) as const);
  await recordActivities(api.forge, origin, scene, all);
}

const activitiesOf = (pk: string) => api.forge.table.queryAll<Activity>(activitiesIn(pk));
const countedOf = async (ownerId: number, at: number) => {
  const hour = await api.forge.table.get<HourCount>(hourKey(ownerId, at, false));
  return [hour?.n ?? 0, (hour === undefined ? [] : countsOf(hour)).reduce((sum, { n }) => sum + n, 0)];
};

/** A repository of an organization of alice's. */
async function organizationsRepository(name: string): Promise<{ ownerId: number; id: number }> {
  await makeOrganization(api, alice, name);
  const made = await makeOrganizationsRepository(api, alice, name, "r");
  return { ownerId: made.owner.id, id: made.id };
}

describe("recordActivities", () => {
  it("writes each down once, counts included, though the worker dies at any write and messages repeat", async () => {
    const place = await organizationsRepository("kills");
    const all: Origin[] = [];
    const writes = await killedAtEach(
      api,
      async () => {
        all.push(eventOf(place));
        await record(all.at(-1) as Origin, 25);
      },
      async () => {
        const origin = all.at(-1) as Origin;
        await record(origin, 25);
        await Promise.all([record(origin, 25), record(origin, 25)]);
        for (const pk of [
          repositoryActivities(place.id),
          ownerActivities(place.ownerId),
          ownerActivities(alice.user.id),
        ]) {
          const its = (await activitiesOf(pk)).filter(({ at }) => at === origin.at);
          expect([pk, its.length, new Set(its.map(({ id }) => id)).size]).toEqual([pk, 25, 25]);
        }
        const last = await api.forge.table.get(lastActivityKey(place.id));
        expect(last).toMatchObject({ at: origin.at });
      },
    );
    expect(writes).toBeGreaterThan(3);
    const hours = new Set(all.map(({ at }) => hourKey(place.ownerId, at, false).sk)).size;
    expect(hours).toBe(1);
    const n = Math.min(25 * all.length, mostCountedAnHour);
    const [counted, inQuarters] = await countedOf(place.ownerId, api.clock.now());
    expect(counted).toBe(inQuarters);
    expect(counted).toBeGreaterThanOrEqual(n);
  });

  it("an older event that comes late doesn't move the time of the last one", async () => {
    const { repository } = await makeRepository(api, alice);
    const [old, recent] = [eventOf(repository), eventOf(repository)];
    await record(recent);
    await record(old);
    expect(await api.forge.table.get(lastActivityKey(repository.id))).toMatchObject({ at: recent.at });
    expect((await activitiesOf(repositoryActivities(repository.id))).map(({ at }) => at)).toEqual([
      old.at,
      recent.at,
    ]);
  });

  it("of a full hour the activities are there, and no longer counted", async () => {
    api.clock.advance(3_600_000);
    const user = await api.makeUser();
    const { repository } = await makeRepository(api, user);
    const full = hourKey(user.user.id, api.clock.now(), false);
    await api.forge.table.write(put({ ...full, n: mostCountedAnHour, ttl: 2_000_000_000_000, _v: 1 }));
    await record(eventOf(repository, user), 2);
    expect(await countedOf(user.user.id, api.clock.now())).toEqual([mostCountedAnHour, 0]);
    expect(await activitiesOf(ownerActivities(user.user.id))).toHaveLength(2);
  });

  it("nobody's scene: of a repository that is being deleted, of a user who is gone, of long ago", async () => {
    const { repository, path } = await makeRepository(api, alice);
    const origin = eventOf(repository);
    const ofNobody = await findScene(api.forge, { ...origin, actorId: 999_999 });
    const ofLongAgo = await findScene(api.forge, { ...origin, at: origin.at - 372 * 24 * 3_600_000 });
    expect([ofNobody, ofLongAgo]).toEqual([undefined, undefined]);
    await api.call("DELETE", path, { as: alice });
    expect(await findScene(api.forge, origin)).toBeUndefined();
  });

  it("costs as much however many watch: 4 requests, 2 r and 8 w; at an organization 5, 3 and 12", async () => {
    const costOf = async (origin: Origin) => {
      const { usage } = await measured(() => record(origin));
      return [usage.tableRequests, usage.tableReadUnits, usage.tableWriteUnits];
    };
    const { repository } = await makeRepository(api, alice);
    const alone = await costOf(eventOf(repository));
    await addWatchers(api.forge, alice.user, repository.id, 5_000, 100);
    const watched = await costOf(eventOf(repository));
    const place = await organizationsRepository("costs");
    const organizations = await costOf(eventOf(place));
    expect({ alone, watched, organizations }).toEqual({
      alone: [4, 2, 8],
      watched: [4, 2, 8],
      organizations: [5, 3, 12],
    });
  });
});

describe("a feed's page, in requests", () => {
  it("looks into 25 of those that a user watches for a page of 10, and says that there is more (D-TOTAL)", async () => {
    const reader = await api.makeUser();
    const others = await api.makeUser();
    const actor = { user: reader.user };
    const watch = async (count: number) => {
      for (let made = 0; made < count; made += 1) {
        const { repository } = await makeRepository(api, others);
        const asked = { mode: "asked", createdAt: api.clock.now() } as const;
        const its = { userId: reader.user.id, repositoryId: repository.id, ...asked };
        await writeMany(
          api.forge,
          starAndWatchItems("watch", its).map((item) => put(item)),
        );
        await record(eventOf(repository, others));
      }
    };
    const costOf = async () => {
      const query = { page: { page: 1, limit: 10 }, isOwnOnly: false };
      const { result, usage } = await measured(() => readFeedOfUser(api.forge, actor, reader.user, query));
      return [result.total, result.isExact, usage.tableRequests, usage.tableReadUnits];
    };
    await watch(10);
    const few = await costOf();
    await watch(50);
    const many = await costOf();
    expect({ few, many }).toEqual({ few: [10, true, 16, 35], many: [24, false, 30, 96] });
  });

  it("ends after 5,000 activities, or 300 repositories that the caller may not see", async () => {
    const busy = await api.makeUser();
    const { repository, path } = await makeRepository(api, busy);
    const { user } = busy;
    const ofMany = Array.from({ length: 310 }, (_, place) => ({
      ...eventOf({ id: 900_000 + place }, busy),
      place,
    }));
    const activities = ofMany.map(({ place, at, repositoryId }) => {
      const key = { pk: ownerActivities(user.id), sk: `T#${String(at).padStart(16, "0")}#e${place}#000` };
      return put({
        ...key,
        id: place,
        type: "create_repo",
        repositoryId,
        actorId: user.id,
        at,
        ttl: at,
        _v: 1,
      });
    });
    await writeMany(api.forge, activities);
    await record(eventOf(repository, busy), 3);
    const { rows, total, answer } = await feedOf(api, `/users/${busy.name}`, busy, "?limit=2");
    expect([rows.length, total, answer.headers.get("x-total-count-exact")]).toEqual([0, 3, "false"]);
    expect(path).toContain(repository.name);
    expect(tableRequests(answer)).toBeLessThan(40);
    expect(await heatOf(api, busy.name, busy)).toBe(3);
  });
});
