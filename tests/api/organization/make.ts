import { expect } from "vitest";
import { type ApiAnswer, type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";

/** The place of tests with organizations: alice's, one of each visibility. */
export interface OrganizationWorld {
  readonly api: TestApi;
  readonly alice: Caller;
  readonly bob: Caller;
  /** A site administrator. */
  readonly boss: Caller;
  /** A restricted user. */
  readonly shut: Caller;
}

/** Starts an api with users, and the organizations `Acme` (public), `half` (limited) and `cloak` (private) of alice's. */
export async function startOrganizations(): Promise<OrganizationWorld> {
  const api = await makeApi();
  const [alice, bob, boss, shut] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "boss", isAdmin: true }),
    await api.makeUser({ name: "shut", isRestricted: true }),
  ];
  await makeOrganization(api, alice, "Acme", { email: "us@acme.example", description: "anvils" });
  await makeOrganization(api, alice, "half", { visibility: "limited" });
  await makeOrganization(api, alice, "cloak", { visibility: "private" });
  return { api, alice, bob, boss, shut };
}

/** Creates an organization that belongs to `as`. */
export async function makeOrganization(
  api: TestApi,
  as: Caller,
  name: string,
  more: object = {},
): Promise<JsonValue> {
  const { status, json } = await api.call("POST", "/orgs", { as, body: { username: name, ...more } });
  expect(status).toBe(201);
  return json;
}

/** Creates a team; answers its id. */
export async function makeTeam(
  api: TestApi,
  as: Caller,
  organization: string,
  name: string,
  more: object = { permission: "read", units: ["repo.code"] },
): Promise<number> {
  const body = { name, ...more };
  const { status, json } = await api.call("POST", `/orgs/${organization}/teams`, { as, body });
  expect(status, JSON.stringify(json)).toBe(201);
  return json.id;
}

/** Makes a user a member of a team. */
export async function join(api: TestApi, as: Caller, teamId: number, who: Caller): Promise<void> {
  const { status } = await api.call("PUT", `/teams/${teamId}/members/${who.name}`, { as });
  expect(status).toBe(204);
}

/** Creates a repository of an organization. */
export async function makeRepository(
  api: TestApi,
  as: Caller,
  organization: string,
  name: string,
  more: object = {},
): Promise<JsonValue> {
  const body = { name, ...more };
  const { status, json } = await api.call("POST", `/orgs/${organization}/repos`, { as, body });
  expect(status, JSON.stringify(json)).toBe(201);
  return json;
}

/** The id of the team `Owners`. */
export async function ownersOf(api: TestApi, as: Caller, organization: string): Promise<number> {
  const { json } = await api.call("GET", `/orgs/${organization}/teams`, { as });
  return json[0].id;
}

/** The names in a list, in its order. */
export const namesIn = ({ json }: ApiAnswer): string[] =>
  json.map((one: JsonValue) => one.login ?? one.username ?? one.full_name ?? one.name);
