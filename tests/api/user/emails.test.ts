import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let admin: Caller;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: { EMAIL_DOMAIN_BLOCKLIST: "bad.example" } });
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob", fullName: "Robert" });
});
afterAll(() => api.stop());

const list = (as?: Caller) => api.call("GET", "/user/emails", { as });
const add = (emails: unknown, as?: Caller) => api.call("POST", "/user/emails", { as, body: { emails } });
const remove = (emails: unknown, as?: Caller) => api.call("DELETE", "/user/emails", { as, body: { emails } });
const addresses = (answer: { json: { email: string }[] }) => answer.json.map(({ email }) => email);

describe("userListEmails", () => {
  it("OP-userListEmails: 200 with whose it is and which one is primary; 401 anonymous", async () => {
    expect((await list(alice)).json).toEqual([
      {
        email: "alice@example.com",
        verified: true,
        primary: true,
        user_id: alice.user.id,
        username: "alice",
      },
    ]);
    expect((await list()).status).toBe(401);
  });
});

describe("userAddEmail", () => {
  it("201: answers all that the caller has then; the new ones are theirs alone, in any case", async () => {
    const added = await add(["Second@example.com", "third@example.com"], alice);
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject([
      { email: "alice@example.com", primary: true },
      { email: "Second@example.com", primary: false, verified: true },
      { email: "third@example.com", primary: false },
    ]);
    expect((await list(alice)).json).toEqual(added.json);
    expect((await add(["SECOND@EXAMPLE.COM"], bob)).status).toBe(422);
    expect((await add(["third@example.com"], alice)).status).toBe(422);
    const made = { username: "carol", email: "THIRD@example.com", password: "long enough" };
    expect((await api.call("POST", "/admin/users", { as: admin, body: made })).status).toBe(422);
  });

  it("422 for another's hidden address: whoever has it is shown as who wrote their commits", async () => {
    for (const one of ["bob@noreply.127.0.0.1", "Bob@NoReply.127.0.0.1", "1+bob@noreply.127.0.0.1"]) {
      expect((await add([one], alice)).status).toBe(422);
      const made = { username: "dora", email: one, password: "long enough" };
      expect((await api.call("POST", "/admin/users", { as: admin, body: made })).status).toBe(422);
      const body = { email: one };
      expect((await api.call("PATCH", "/admin/users/alice", { as: admin, body })).status).toBe(422);
    }
    expect((await add(["bob@noreply.127.0.0.1"], bob)).status).toBe(201);
    expect((await remove(["bob@noreply.127.0.0.1"], bob)).status).toBe(204);
  });

  it.each([
    [[]],
    [["x@example.com", "no address"]],
    [["x@example.com", "boss@example.com"]],
    [["x@bad.example"]],
    [["x@b..c"]],
    [["x..y@example.com"]],
    [["x@-b.example"]],
    [["x@example.com", `${"y".repeat(250)}@example.com`]],
    [Array.from({ length: 20 }, (_, at) => `x${at}@example.com`)],
    ["x@example.com"],
  ])("422: %j, and none of them is added", async (emails) => {
    expect((await add(emails, bob)).status).toBe(422);
    expect(addresses(await list(bob))).toEqual(["bob@example.com"]);
  });

  it("of two who add one address at the same time one gets it", async () => {
    const answers = await Promise.all([alice, bob].map((one) => add(["shared@example.com"], one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    for (const one of [alice, bob]) await remove(["shared@example.com"], one);
  });

  it("of several additions by one user at the same time each is done", async () => {
    const asked = ["p1@example.com", "p2@example.com", "p3@example.com"];
    const answers = await Promise.all(asked.map((one) => add([one], bob)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(addresses(await list(bob))).toEqual(["bob@example.com", ...asked]);
    await remove(asked, bob);
  });

  it("401: anonymous", async () => {
    expect((await add(["x@example.com"])).status).toBe(401);
  });
});

describe("userDeleteEmail", () => {
  it("204: whatever the case; the address is free then", async () => {
    expect((await remove(["THIRD@example.com"], alice)).status).toBe(204);
    expect((await add(["third@example.com"], bob)).status).toBe(201);
    expect((await remove([], bob)).status).toBe(204);
    expect((await remove(["third@example.com"], bob)).status).toBe(204);
  });

  it("404: one that is not the caller's, 422: the primary one, and the others stay; 401 anonymous", async () => {
    expect((await remove(["second@example.com", "bob@example.com"], alice)).status).toBe(404);
    expect((await remove(["second@example.com", "alice@example.com"], alice)).status).toBe(422);
    expect(addresses(await list(alice))).toEqual(["alice@example.com", "Second@example.com"]);
    expect((await remove(["second@example.com"])).status).toBe(401);
  });
});

describe("adminListUserEmails", () => {
  it("200: as for the user; 404: nobody; 401 and 403 for callers who are no administrators", async () => {
    const path = "/admin/users/alice/emails";
    const shown = await api.call("GET", path, { as: admin });
    expect(addresses(shown)).toEqual(["alice@example.com", "Second@example.com"]);
    expect((await api.call("GET", "/admin/users/nobody/emails", { as: admin })).status).toBe(404);
    expect((await api.call("GET", path)).status).toBe(401);
    expect((await api.call("GET", path, { as: alice })).status).toBe(403);
  });
});

describe("adminDeleteUserEmails", () => {
  const removeOf = (as: Caller | undefined, email: string) =>
    api.call("DELETE", "/admin/users/alice/emails", { as, body: { emails: [email] } });

  it("204: in any case; 422: one that is not the user's, and the primary one; 401 and 403", async () => {
    expect((await removeOf(admin, "second@example.com")).status).toBe(204);
    expect((await removeOf(admin, "second@example.com")).status).toBe(422);
    expect((await removeOf(admin, "alice@example.com")).status).toBe(422);
    expect((await removeOf(alice, "alice@example.com")).status).toBe(403);
    expect((await removeOf(undefined, "alice@example.com")).status).toBe(401);
  });
});

describe("adminGetAllEmails", () => {
  it("200: all in their order, in pages with the total, right after a change", async () => {
    await add(["aaa@example.com"], bob);
    const all = await api.call("GET", "/admin/emails", { as: admin });
    const expected = ["aaa@example.com", "alice@example.com", "bob@example.com", "boss@example.com"];
    expect(addresses(all)).toEqual(expected);
    expect(all.json[0]).toEqual({
      email: "aaa@example.com",
      verified: true,
      primary: false,
      user_id: bob.user.id,
      username: "bob",
    });
    const second = await api.call("GET", "/admin/emails?limit=1&page=2", { as: admin });
    expect([addresses(second), second.headers.get("x-total-count")]).toEqual([["alice@example.com"], "4"]);
  });

  it("401 and 403 for everybody but administrators", async () => {
    expect((await api.call("GET", "/admin/emails")).status).toBe(401);
    expect((await api.call("GET", "/admin/emails", { as: alice })).status).toBe(403);
  });
});

describe("adminSearchEmails", () => {
  it("200: a part of the address, or of its owner's login or full name, in any case", async () => {
    const found = async (q: string) =>
      addresses(await api.call("GET", `/admin/emails/search?q=${q}`, { as: admin }));
    expect(await found("ALICE@")).toEqual(["alice@example.com"]);
    expect(await found("rober")).toEqual(["aaa@example.com", "bob@example.com"]);
    expect(await found("zzz")).toEqual([]);
    expect(await found("")).toHaveLength(4);
  });

  it("401 and 403 for everybody but administrators", async () => {
    expect((await api.call("GET", "/admin/emails/search")).status).toBe(401);
    expect((await api.call("GET", "/admin/emails/search", { as: alice })).status).toBe(403);
  });
});

describe("the data after all this", () => {
  it("holds every invariant", async () => {
    const findings: Finding[] = [];
    for await (const finding of checkTable(api.forge)) findings.push(finding);
    expect(findings).toEqual([]);
  });
});
