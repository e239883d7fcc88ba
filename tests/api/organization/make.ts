import { expect } from "vitest";
import { forgetUser, settleDeparture } from "#core/account/account";
import { endCollaborations } from "#core/collaborator/collaborator";
import { runJob } from "#core/jobs/run";
import {
  forgetOrganization,
  removeNamedRepositories,
  removingRepositoriesKind,
} from "#core/organization/organization";
import { resend } from "#core/outbox";
import { emptyRepository, followOwner, followVisibility, settleTransfer } from "#core/repository/repository";
import type { Item } from "#core/table";
import { forgetTeam } from "#core/team/team";
import { type ApiAnswer, type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";

/** Where organizations are tried on: alice's, one of each visibility. */
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

/** Runs every job that is due, to its end. */
export async function finishJobs(api: TestApi): Promise<void> {
  const kinds = {
    "empty-repository": emptyRepository,
    "end-collaborations": endCollaborations,
    "forget-organization": forgetOrganization,
    "forget-user": forgetUser,
    "forget-team": forgetTeam,
    "follow-owner": followOwner,
    [removingRepositoriesKind]: removeNamedRepositories,
    "follow-visibility": followVisibility,
    "settle-departure": settleDeparture,
    "settle-transfer": settleTransfer,
  };
  const find = async () => {
    const parts = [0, 1, 2, 3].map((part) =>
      api.forge.table.queryAll<Item & { id: string }>({ pk: `JOB#${part}` }),
    );
    return (await Promise.all(parts)).flat().map(({ id }) => id);
  };
  for (let ids = await find(); ids.length > 0; ids = await find()) {
    for (const id of ids) await runJob(api.forge, kinds, id, { budgetMs: 60_000 });
    api.clock.advance(15 * 60_000);
  }
  await resend(api.forge); // as the tick does, once nobody has received an event for long
}

/** The names in a list, in its order. */
export const namesIn = ({ json }: ApiAnswer): string[] =>
  json.map((one: JsonValue) => one.login ?? one.username ?? one.full_name ?? one.name);
