import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeRepository, makeTeam } from "../../organization/make.ts";

/**
 * alice's acme has a private repository that crew (issues) and coders (code) have, strangers not, and a public one; bob
 * writes. mia and max are of crew, cody of coders, sam of strangers; max blocks bob.
 */
let api: TestApi;
let alice: Caller;
let bob: Caller;
const people = new Map<string, Caller>();

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await makeOrganization(api, alice, "acme");
  await makeOrganization(api, alice, "other");
  await makeRepository(api, alice, "acme", "shut", { private: true });
  await makeRepository(api, alice, "acme", "open");
  expect((await api.call("POST", "/user/repos", { as: alice, body: { name: "own" } })).status).toBe(201);
  await makeMembers("acme", "crew", "repo.issues", ["mia", "max"]);
  await makeMembers("acme", "coders", "repo.code", ["cody"]);
  await makeMembers("acme", "strangers", "repo.issues", ["sam"], false);
  await makeMembers("other", "guests", "repo.issues", ["gwen"], false);
  const body = { permission: "read" };
  expect((await api.call("PUT", "/repos/acme/shut/collaborators/bob", { as: alice, body })).status).toBe(204);
  expect((await api.call("PUT", "/user/block/bob", { as: people.get("max") })).status).toBe(204);
});
afterAll(() => api.stop());

async function makeMembers(
  organization: string,
  name: string,
  unit: string,
  members: string[],
  hasShut = true,
): Promise<void> {
  const rights = { permission: "read", units_map: { [unit]: "read" } };
  const team = await makeTeam(api, alice, organization, name, rights);
  for (const member of members) {
    people.set(member, await api.makeUser({ name: member }));
    await join(api, alice, team, people.get(member) as Caller);
  }
  if (!hasShut) return;
  expect((await api.call("PUT", `/teams/${team}/repos/acme/shut`, { as: alice })).status).toBe(204);
}

const everyTeam = "@acme/crew @ACME/Coders @acme/strangers @acme/nobody @other/guests";

/** Opens an issue; answers its number. */
async function open(repository: string, body: string, as = bob): Promise<number> {
  const answer = await api.call("POST", `/repos/${repository}/issues`, { as, body: { title: "t", body } });
  expect(answer.status).toBe(201);
  return answer.json.number;
}

/** The users that an issue is known to mention, by the filter of the list. */
async function mentioned(repository: string, number: number): Promise<string[]> {
  const found = [];
  for (const name of [...people.keys(), "alice", "bob"]) {
    const path = `/repos/${repository}/issues?mentioned_by=${name}`;
    const { status, json } = await api.call("GET", path, { as: alice });
    expect(status).toBe(200);
    if (json.some((one: { number: number }) => one.number === number)) found.push(name);
  }
  return found;
}

describe("mentions of teams (semantics §20.1, §20.5)", () => {
  it("issueCreateIssue: those of their members are noted who may read the issue and don't block its author", async () => {
    const number = await open("acme/shut", everyTeam);
    expect(await mentioned("acme/shut", number)).toEqual(["mia"]);
    const search = "/repos/issues/search?mentioned=true";
    const seen = await api.call("GET", search, { as: people.get("mia") });
    expect(seen.json.map((one: { number: number }) => one.number)).toEqual([number]);
    for (const name of ["max", "cody", "sam"]) {
      expect((await api.call("GET", search, { as: people.get(name) })).json, name).toEqual([]);
    }
  });

  it("issueCreateIssue: where everybody may read, all members of the organization's own teams, not of another's", async () => {
    const number = await open("acme/open", everyTeam);
    expect(await mentioned("acme/open", number)).toEqual(["mia", "cody", "sam"]);
    for (const name of ["mia", "max", "cody", "sam"]) {
      const path = `/repos/acme/open/issues/${number}/subscriptions/check`;
      const { json } = await api.call("GET", path, { as: people.get(name) });
      expect(json.subscribed, name).toBe(name !== "max");
    }
  });

  it("issueCreateIssue: of a user's repository no team of any organization", async () => {
    const number = await open("alice/own", everyTeam);
    expect(await mentioned("alice/own", number)).toEqual([]);
  });

  it("issueCreateComment, issueEditComment: noted once by either, and not in code; who writes is not", async () => {
    const number = await open("acme/open", "nothing");
    const comments = `/repos/acme/open/issues/${number}/comments`;
    const { json } = await api.call("POST", comments, {
      as: people.get("mia"),
      body: { body: "`@acme/coders`" },
    });
    expect(await mentioned("acme/open", number)).toEqual([]);
    const body = { body: "@acme/crew, @acme/coders" };
    const edit = await api.call("PATCH", `/repos/acme/open/issues/comments/${json.id}`, {
      as: people.get("mia"),
      body,
    });
    expect(edit.status).toBe(200);
    expect(await mentioned("acme/open", number)).toEqual(["max", "cody"]);
  });
});
