import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countsOf, type HourCount, hoursSince } from "#core/activity/activity.table";
import { findScene, mostCountedAnHour, recordActivities } from "#core/activity/record";
import { openIssue } from "#tests/api/issue/make";
import { tell } from "#tests/api/notification/make";
import { join, makeOrganization, makeRepository, makeTeam } from "#tests/api/organization/make";
import type { TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { feedOf, heatOf } from "./make.ts";

let api: TestApi;
let people: { alice: Caller; bob: Caller; eve: Caller };
beforeAll(async () => {
  api = await makeApi();
  people = { alice: await api.makeUser(), bob: await api.makeUser(), eve: await api.makeUser() };
});
afterAll(() => api.stop());

const transferred = async (path: string, as?: Caller) => {
  const { rows } = await feedOf(api, path, as);
  return rows.filter(({ op_type: type }) => type === "transfer_repo").map(({ content }) => content);
};

describe("a feed", () => {
  // The former owner's name was stored, and shown to everybody.
  it("names a hidden former owner of a repository to nobody who may not know of them (D-HIDDEN, fixed)", async () => {
    const { alice, eve } = people;
    await makeOrganization(api, alice, "cloak", { visibility: "private" });
    await makeRepository(api, alice, "cloak", "open");
    await api.call("POST", "/repos/cloak/open/transfer", { as: alice, body: { new_owner: alice.name } });
    await tell(api);
    const path = `/repos/${alice.name}/open`;
    for (const stranger of [eve, undefined]) expect(await transferred(path, stranger)).toEqual(["open"]);
    expect(await transferred(path, alice)).toEqual(["cloak/open"]);
    const scopes = ["read:repository", "public-only"];
    const limited = { ...alice, token: await api.makeToken(alice, scopes) };
    expect(await transferred(path, limited)).toEqual(["open"]);
  });
});

describe("a heat map", () => {
  // It asked for the repository alone: its sum told how many issues a reader of the code may not see.
  it("counts only what is in units that the caller may read (D-HIDDEN, fixed)", async () => {
    const { alice, bob } = people;
    await makeOrganization(api, alice, "guild");
    await makeRepository(api, alice, "guild", "secret", { private: true });
    const team = await makeTeam(api, alice, "guild", "coders", { permission: "read", units: ["repo.code"] });
    await join(api, alice, team, bob);
    await api.call("PUT", `/teams/${team}/repos/guild/secret`, { as: alice });
    for (let made = 0; made < 3; made += 1)
      await openIssue(api, { path: "/repos/guild/secret" } as TestRepository, alice);
    await tell(api);
    expect([await heatOf(api, "guild", bob), await heatOf(api, "guild", alice)]).toEqual([1, 4]);
    expect((await feedOf(api, "/orgs/guild", bob)).total).toBe(1);
  });

  // Private work took from the 500 of an hour: whoever filled them saw how much was missing.
  it("of a full hour tells strangers nothing of private work, and goes on counting (D-HIDDEN, fixed)", async () => {
    const { alice, bob, eve } = people;
    await makeOrganization(api, alice, "busy");
    const open = await makeRepository(api, alice, "busy", "open");
    const secret = await makeRepository(api, alice, "busy", "secret", { private: true });
    await tell(api);
    api.clock.advance(3_600_000 - (api.clock.now() % 3_600_000));
    let events = 0;
    const record = async ({ id: repositoryId }: { id: number }, by: Caller, deeds: number) => {
      events += 1;
      const origin = {
        ...{ eventId: `event-${events}`, repositoryId, actorId: by.user.id },
        at: api.clock.now(),
      };
      const scene = await findScene(api.forge, origin);
      if (scene === undefined) throw new Error("nobody is there");
      const all = Array.from({ length: deeds }, (_, number) => ({ type: "create_issue", number }) as const);
      await recordActivities(api.forge, origin, scene, all);
    };
    await record(secret, alice, 7);
    await record(open, bob, 1);
    await record(open, eve, mostCountedAnHour + 1);
    await record(open, bob, 2);
    await record(open, alice, 1); // new in a full hour
    await record(secret, alice, 1);
    const hours = await api.forge.table.queryAll<HourCount>(hoursSince(open.owner.id, api.clock.now()));
    const counts = hours.flatMap(countsOf).map(({ repositoryId, actorId, n }) => [repositoryId, actorId, n]);
    expect(new Set(counts.map(String))).toEqual(
      new Set([
        `${open.id},${bob.user.id},3`,
        `${open.id},${eve.user.id},${mostCountedAnHour + 1}`,
        `${secret.id},${alice.user.id},8`,
      ]),
    );
    expect(counts).toHaveLength(3);
  });
});
