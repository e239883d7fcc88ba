import { expect } from "vitest";
import type { Caller, JsonValue, TestApi } from "#tests/support/api";
import type { Random } from "#tests/support/random";
import { makeOrganization, makeTeam } from "../organization/make.ts";

/** Who asks. */
export type Who = "alice" | "bob" | "carol" | "boss";

/** The targets of racing requests: an organization's repository and a user's, with something of everything. */
export interface RaceWorld {
  readonly random: Random;
  readonly number: number;
  readonly callers: Readonly<Record<Who, Caller>>;
  readonly organization: string;
  readonly teams: number[];
  readonly organizationLabel: number;
  /** Full name of the repository that most requests are about, and of the other one. */
  readonly places: readonly [Place, Place];
}

/** A repository, and ids of what it holds. */
export interface Place {
  readonly id: number;
  readonly path: string;
  readonly labels: readonly number[];
  readonly milestones: number[];
  readonly comments: number[];
  readonly times: number[];
  /** One that is published, one that is a draft; each with an asset of the same place. */
  readonly releases: number[];
  readonly assets: number[];
}

/** Makes a world of its own, whose names end in this number. */
export async function makeRaceWorld(api: TestApi, random: Random, number: number): Promise<RaceWorld> {
  const make = (name: string, isAdmin = false) => api.makeUser({ name: `${name}-${number}`, isAdmin });
  const callers = {
    alice: await make("alice"),
    bob: await make("bob"),
    carol: await make("carol"),
    boss: await make("boss", true),
  };
  const { alice } = callers;
  const organization = `org-${number}`;
  await makeOrganization(api, alice, organization);
  const rights = { permission: "write", units: ["repo.code", "repo.issues"] };
  const teams = [
    await makeTeam(api, alice, organization, "one", rights),
    await makeTeam(api, alice, organization, "two"),
  ];
  await api.call("PUT", `/teams/${teams[0]}/members/${callers.bob.name}`, { as: alice });
  const label = { name: "shared", color: "aabbcc" };
  const { id } = (await api.call("POST", `/orgs/${organization}/labels`, { as: alice, body: label })).json;
  const first = await furnish(api, callers, `/orgs/${organization}/repos`);
  const second = await furnish(api, callers, "/user/repos");
  await api.call("PUT", `/teams/${teams[0]}${first.path}`, { as: alice });
  const places: [Place, Place] = random.chance(0.7) ? [first, second] : [second, first];
  return { random, number, callers, organization, teams, organizationLabel: id, places };
}

async function furnish(api: TestApi, { alice, carol }: RaceWorld["callers"], to: string): Promise<Place> {
  const post = async (path: string, body: object): Promise<JsonValue> => {
    const { status, json, text } = await api.call("POST", path, { as: alice, body });
    expect(status, `${path}: ${text}`).toBeLessThan(300);
    return json;
  };
  const idsOf = async (path: string, bodies: readonly object[]): Promise<number[]> => {
    const ids: number[] = [];
    for (const body of bodies) ids.push((await post(path, body)).id);
    return ids;
  };
  const { id, full_name: name } = await post(to, { name: "code", auto_init: true });
  const path = `/repos/${name}`;
  const exclusive = { color: "aabbcc", exclusive: true };
  const labels = await idsOf(`${path}/labels`, [
    { name: "kind/a", ...exclusive },
    { name: "kind/b", ...exclusive },
  ]);
  const milestones = await idsOf(`${path}/milestones`, [{ title: "one" }, { title: "two" }]);
  for (const title of ["one", "two"]) await post(`${path}/issues`, { title, body: "words" });
  const comments = await idsOf(`${path}/issues/1/comments`, [{ body: "see #2" }]);
  const times = await idsOf(`${path}/issues/1/times`, [{ time: 60 }]);
  await api.call("PUT", `${path}/collaborators/${carol.name}`, { as: alice, body: { permission: "admin" } });
  await post(`${path}/branches`, { new_branch_name: "x" });
  const releases = await idsOf(`${path}/releases`, [{ tag_name: "v1" }, { tag_name: "v2", draft: true }]);
  const assets: number[] = [];
  for (const one of releases) {
    assets.push((await post(`${path}/releases/${one}/assets?name=a.json`, { is: "a file" })).id);
  }
  return { id, path, labels, milestones, comments, times, releases, assets };
}

/** Opens a request from `x` into `main` in each place: its number is 3. */
export async function openPulls(api: TestApi, { places, callers: { alice } }: RaceWorld): Promise<void> {
  for (const { path } of places) {
    const file = { content: "", message: "words", branch: "x" };
    await api.call("POST", `${path}/contents/first.txt`, { as: alice, body: file });
    const pull = { title: "words", body: "fixes #1", head: "x", base: "main" };
    const { status, json } = await api.call("POST", `${path}/pulls`, { as: alice, body: pull });
    expect([status, json.number]).toEqual([201, 3]);
  }
}
