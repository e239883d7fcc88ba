import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeRepository, makeTeam, namesIn } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let stranger: Caller;
let boss: Caller;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob, stranger, boss] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "stranger" }),
    await api.makeUser({ name: "boss", isAdmin: true }),
  ];
  await api.makeUser({ name: "carol" });
  await makeOrganization(api, alice, "acme");
  await makeRepository(api, alice, "acme", "open");
  await makeOrganization(api, alice, "cloak", { visibility: "private" });
});
afterAll(() => api.stop());

const createIn = (as: Caller | undefined, path: string, body: object) => api.call("POST", path, { as, body });

describe.each([
  ["createOrgRepoCurrent", "/orgs"],
  ["createOrgRepo", "/org"],
])("%s (of createOrgRepo, createOrgRepoCurrent)", (id, base) => {
  const name = (text: string) => `${id.slice(-5).toLowerCase()}-${text}`;

  it("201: an owner's (OP-createOrgRepo, D-PATHS)", async () => {
    const { status, json } = await createIn(alice, `${base}/acme/repos`, {
      name: name("own"),
      auto_init: true,
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      owner: { login: "acme" },
      full_name: `acme/${name("own")}`,
      empty: false,
      permissions: { admin: true, push: true, pull: true },
    });
    expect(namesIn(await api.call("GET", `/repos/acme/${name("own")}/collaborators`, { as: alice }))).toEqual(
      [],
    );
  });

  it("201: a member whose team lets them becomes its administrator (semantics §24.1)", async () => {
    const team = await makeTeam(api, alice, "acme", name("makers"), {
      units: ["repo.code"],
      can_create_org_repo: true,
    });
    await join(api, alice, team, bob);
    const { status, json } = await createIn(bob, `${base}/acme/repos`, { name: name("made"), private: true });
    expect(status).toBe(201);
    expect(json.permissions).toEqual({ admin: true, push: true, pull: true });
    const path = `/repos/acme/${name("made")}`;
    expect((await api.call("PATCH", path, { as: bob, body: { description: "mine" } })).status).toBe(200);
    expect((await api.call("DELETE", path, { as: bob })).status).toBe(403);
    await api.call("DELETE", `/teams/${team}`, { as: alice });
    expect((await createIn(bob, `${base}/acme/repos`, { name: name("later") })).status).toBe(403);
  });

  it("201: a site administrator", async () => {
    expect((await createIn(boss, `${base}/cloak/repos`, { name: name("by-boss") })).status).toBe(201);
  });

  it("401, 403, 409, 422", async () => {
    const body = { name: name("x") };
    expect((await createIn(undefined, `${base}/acme/repos`, body)).status).toBe(401);
    for (const given of [body, {}, { name: "a b" }]) {
      expect((await createIn(stranger, `${base}/acme/repos`, given)).status).toBe(403);
    }
    expect((await createIn(alice, `${base}/acme/repos`, { name: "OPEN" })).status).toBe(409);
    expect((await createIn(alice, `${base}/acme/repos`, { name: "a b" })).status).toBe(422);
  });
});

describe("an organization that is not there, or hidden from the caller", () => {
  const shown = ({ status, text, headers }: ApiAnswer, name: string) => {
    const rest = [...headers].filter(([header]) => header !== "x-request-id");
    return { status, text: text.replaceAll(name, "…"), rest };
  };
  it.each([
    ["createOrgRepoCurrent", "/orgs", 404, 404],
    ["createOrgRepo", "/org", 422, 401],
  ])(
    "%s: the same of both, in all that is answered (D-HIDDEN, semantics §24.1)",
    async (_id, base, status, anonymousStatus) => {
      const bodies = [{ name: "x" }, {}, { name: "a b" }, { name: "x", readme: "none such" }];
      for (const as of [undefined, stranger, bob]) {
        for (const body of bodies) {
          const [hidden, absent, user] = await Promise.all(
            ["cloak", "nowhr", "carol"].map(async (name) =>
              shown(await createIn(as, `${base}/${name}/repos`, body), name),
            ),
          );
          expect(hidden?.status).toBe(as === undefined ? anonymousStatus : status);
          expect(absent).toEqual(hidden);
          expect(user).toEqual(hidden);
        }
      }
    },
  );

  it("createOrgRepo says which, as an invalid value", async () => {
    const { json } = await createIn(stranger, "/org/cloak/repos", { name: "x" });
    expect(json.message).toBe("org does not exist [name: cloak]");
  });

  it("createOrgRepo: 403 first where the token lacks the scope", async () => {
    const token = await api.makeToken(stranger, ["write:repository"]);
    for (const name of ["cloak", "nowhere"]) {
      expect((await createIn({ ...stranger, token }, `/org/${name}/repos`, { name: "x" })).status).toBe(403);
    }
  });
});
