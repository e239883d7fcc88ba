import { expect } from "vitest";
import { resendOverdue } from "#core/events/outbox";
import { checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import type { Caller, TestApi } from "#tests/support/api";
import { SimulatedCrash } from "#tests/support/faults";
import { finishJobs } from "#tests/support/jobs";
import { type Killed, recovered } from "#tests/support/race/killed-at-each";
import { join, makeOrganization, makeRepository, makeTeam, ownersOf } from "../organization/make.ts";

/** A user with something of everything, with a number that makes their names unique. */
export interface Estate {
  readonly victim: Caller;
  /**
   * The names of their repositories, of those of an organization whose last owner they are, and of one that has
   * another.
   */
  readonly paths: { readonly own: string; readonly sole: string; readonly shared: string };
  readonly number: number;
}

/** Makes one. `other` owns the shared organization, too, and a repository on which the victim may write. */
export async function makeEstate(
  api: TestApi,
  admin: Caller,
  other: Caller,
  number: number,
): Promise<Estate> {
  const victim = await api.makeUser({ name: `victim-${number}` });
  const [sole, shared] = [`sole-${number}`, `shared-${number}`];
  const own = await api.call("POST", "/user/repos", { as: victim, body: { name: "own" } });
  expect(own.status).toBe(201);
  await makeOrganization(api, victim, sole);
  await makeRepository(api, victim, sole, "one");
  await makeOrganization(api, victim, shared);
  await makeRepository(api, victim, shared, "two");
  await join(api, victim, await ownersOf(api, victim, shared), other);
  await join(api, victim, await makeTeam(api, victim, shared, "crew"), victim);
  await api.call("POST", "/user/emails", { as: victim, body: { emails: [`second-${number}@example.com`] } });
  await api.call("POST", "/user/repos", { as: other, body: { name: `of-other-${number}` } });
  const collaborator = `/repos/${other.name}/of-other-${number}/collaborators/${victim.name}`;
  await api.call("PUT", collaborator, { as: other });
  const issues = `/repos/${other.name}/of-other-${number}/issues`;
  for (const [as, title] of [
    [victim, "pear quince"],
    [other, "plum"],
  ] as const) {
    expect((await api.call("POST", issues, { as, body: { title } })).status).toBe(201);
  }
  await giveMilestoneAndAssignee(api, other, victim, number);
  for (const [as, index] of [
    [other, 1],
    [victim, 2],
    [other, 2],
  ] as const) {
    const body = { body: `a comment by ${as.name}` };
    expect((await api.call("POST", `${issues}/${index}/comments`, { as, body })).status).toBe(201);
  }
  const rename = { as: admin, body: { new_username: `renamed-${number}` } };
  expect((await api.call("POST", `/admin/users/${victim.name}/rename`, rename)).status).toBe(204);
  const renamed = { ...victim, name: `renamed-${number}` };
  return {
    victim: renamed,
    paths: { own: `/repos/${renamed.name}/own`, sole: `/repos/${sole}/one`, shared: `/repos/${shared}/two` },
    number,
  };
}

/** Both issues get a milestone, and are assigned to the user, who may write there then. */
async function giveMilestoneAndAssignee(api: TestApi, other: Caller, victim: Caller, number: number) {
  const repository = `/repos/${other.name}/of-other-${number}`;
  const { json: milestone } = await api.call("POST", `${repository}/milestones`, {
    as: other,
    body: { title: "soon" },
  });
  for (const index of [1, 2]) {
    const body = { milestone: milestone.id, assignees: [victim.name] };
    const { status } = await api.call("PATCH", `${repository}/issues/${index}`, { as: other, body });
    expect(status).toBe(201);
  }
}

/** What must hold as soon as the purge was answered. */
export async function expectGone(
  api: TestApi,
  admin: Caller,
  { victim, paths, number }: Estate,
): Promise<void> {
  const statuses: Record<string, number> = {};
  for (const path of [
    `/users/${victim.name}`,
    `/users/victim-${number}`,
    paths.own,
    paths.sole,
    `/orgs/sole-${number}`,
    `/orgs/shared-${number}`,
    paths.shared,
  ]) {
    statuses[path] = (await api.call("GET", path, { as: admin })).status;
  }
  expect(Object.values(statuses)).toEqual([404, 404, 404, 404, 404, 200, 200]);
  expect((await api.call("GET", "/user", { as: victim })).status).toBe(401);
  const members = await api.call("GET", `/orgs/shared-${number}/members`, { as: admin });
  expect(members.json.map(({ id }: { id: number }) => id)).not.toContain(victim.user.id);
}

/** The final state: nothing is left of the user, and every invariant holds. */
export async function expectForgotten(api: TestApi, { victim, number }: Estate): Promise<void> {
  await finishJobs(api);
  await resendOverdue(api.forge);
  const left: string[] = [];
  for await (const items of api.forge.table.scan({ segment: 0, of: 1 })) {
    const partitions = [`U#${victim.user.id}`, `O#${victim.user.id}`, `U#${victim.user.id}#I`];
    left.push(...items.filter(({ pk }) => partitions.includes(pk)).map(({ pk, sk }) => `${pk} ${sk}`));
  }
  expect(left).toEqual([]);
  const issues = `/repos/other/of-other-${number}/issues`;
  expect((await api.call("GET", `${issues}/1`)).status).toBe(404);
  const kept = (await api.call("GET", `${issues}/2`)).json;
  expect([kept.comments, kept.assignees, kept.milestone.open_issues]).toEqual([1, [], 1]);
  const comments = await api.call("GET", `${issues}/2/comments`);
  expect(comments.json.map(({ body }: { body: string }) => body)).toEqual(["a comment by other"]);
  expect((await api.call("GET", `${issues}?q=quince`)).json).toEqual([]);
  const findings: Finding[] = [];
  for await (const finding of checkTable(api.forge)) findings.push(finding);
  expect(findings).toEqual([]);
}

/** Purges a user while the process is killed at a write, then lets the others finish it. */
export async function purgeKilledAt(
  api: TestApi,
  admin: Caller,
  estate: Estate,
  write: number,
  when: "before" | "after",
): Promise<Killed> {
  const path = `/admin/users/${estate.victim.name}?purge=true`;
  api.faults.crashAt(write, when);
  await api.call("DELETE", path, { as: admin }).catch((error: unknown) => {
    if (!(error instanceof SimulatedCrash)) throw error;
  });
  const killed = recovered(api.faults);
  await finishJobs(api);
  const again = await api.call("DELETE", path, { as: admin });
  expect([204, 404]).toContain(again.status);
  await expectGone(api, admin, estate);
  await expectForgotten(api, estate);
  return killed;
}
