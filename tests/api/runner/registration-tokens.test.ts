import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placeOfRegistrationToken } from "#core/runner/registration-token";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeTeam } from "../organization/make.ts";

let api: TestApi;
let owner: Caller;
let writer: Caller;
let outsider: Caller;
let boss: Caller;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  writer = await api.makeUser({ name: "wanda" });
  outsider = await api.makeUser({ name: "otto" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, owner, "acme");
  await makeOrganization(api, owner, "second");
  await join(api, owner, await makeTeam(api, owner, "acme", "crew"), writer);
  for (const body of [{ name: "a" }, { name: "b" }, { name: "hidden", private: true }]) {
    expect((await api.call("POST", "/user/repos", { as: owner, body })).status).toBe(201);
  }
  for (const permission of ["write", "admin"]) {
    const as = permission === "write" ? writer : outsider;
    const path = `/repos/olga/a/collaborators/${as.name}`;
    expect((await api.call("PUT", path, { as: owner, body: { permission } })).status).toBe(204);
  }
});
afterAll(() => api.stop());

const at = (base: string) => `${base}/runners/registration-token`;
const repositoryA = at("/repos/olga/a/actions");
const ask = (path: string, as?: Caller, method = "GET") => api.call(method, path, { as });

/** The levels of B-17: whose token it is, who may ask for it, and the operations. */
const levels = [
  {
    key: "B-17a",
    operations:
      "repoGetRunnerRegistrationToken, repoCreateRunnerRegistrationToken, repoDeleteRunnerRegistrationToken",
    path: repositoryA,
    other: at("/repos/olga/b/actions"),
    by: () => owner,
  },
  {
    key: "B-17b",
    operations:
      "orgGetRunnerRegistrationToken, orgCreateRunnerRegistrationToken, orgDeleteRunnerRegistrationToken",
    path: at("/orgs/acme/actions"),
    other: at("/orgs/second/actions"),
    by: () => owner,
  },
  {
    key: "B-17c",
    operations:
      "userGetRunnerRegistrationToken, userCreateRunnerRegistrationToken, userDeleteRunnerRegistrationToken",
    path: at("/user/actions"),
    other: at("/orgs/acme/actions"),
    by: () => owner,
  },
  {
    key: "B-17d",
    operations:
      "adminGetActionsRunnerRegistrationToken, adminCreateRunnerRegistrationToken, adminDeleteRunnerRegistrationToken",
    path: at("/admin/actions"),
    other: at("/user/actions"),
    by: () => boss,
  },
] as const;

describe.each(levels)("$operations ($key, semantics §17)", ({ path, other, by }) => {
  it("200: forty letters and digits, the same at each call and by POST, kept by nobody on the way", async () => {
    const { status, json, headers } = await ask(path, by());
    expect([status, json]).toEqual([200, { token: expect.stringMatching(/^[0-9A-Za-z]{40}$/) }]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect((await ask(path, by())).json).toEqual(json);
    const posted = await ask(path, by(), "POST");
    expect([posted.status, posted.json]).toEqual([200, json]);
    expect((await ask(other, by())).json).not.toEqual(json);
  });

  it("200: those who ask at once for the first time get one token", async () => {
    await ask(path, by(), "DELETE");
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(path, by())));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ json }) => json.token)).size).toBe(1);
  });

  it("204: deactivates it, so that it registers nobody any more and another one is given; 204 without one", async () => {
    const before = (await ask(path, by())).json.token;
    expect(await placeOfRegistrationToken(api.forge, before)).toBeDefined();
    expect([(await ask(path, by(), "DELETE")).status, (await ask(path, by(), "DELETE")).status]).toEqual([
      204, 204,
    ]);
    expect(await placeOfRegistrationToken(api.forge, before)).toBeUndefined();
    const after = (await ask(path, by())).json.token;
    expect(after).not.toBe(before);
    expect(await placeOfRegistrationToken(api.forge, after)).toBeDefined();
  });

  it("401: anonymous callers", async () => {
    for (const method of ["GET", "POST", "DELETE"])
      expect((await ask(path, undefined, method)).status).toBe(401);
  });
});

describe("registration tokens and rights", () => {
  it("403: those who write to a repository or administer it, members of an organization, other users", async () => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const refused = [
        await ask(repositoryA, writer, method),
        await ask(repositoryA, outsider, method),
        await ask(at("/orgs/acme/actions"), writer, method),
        await ask(at("/orgs/acme/actions"), outsider, method),
        await ask(at("/admin/actions"), owner, method),
      ];
      expect(refused.map(({ status }) => status)).toEqual(Array(5).fill(403));
    }
  });

  it("200: site administrators at every level (B-17a, B-17b, B-17c, B-17d, NS-2)", async () => {
    for (const { path } of levels.slice(0, 2)) expect((await ask(path, boss)).status).toBe(200);
  });

  it("404: a hidden repository and an absent one alike, and absent organizations (D-HIDDEN)", async () => {
    const hidden = await ask(at("/repos/olga/hidden/actions"), outsider);
    const absent = await ask(at("/repos/olga/absent/actions"), outsider);
    expect([hidden.status, absent.status]).toEqual([404, 404]);
    expect(hidden.text.replaceAll("hidden", "absent")).toBe(absent.text);
    expect((await ask(at("/orgs/absent/actions"), outsider)).status).toBe(404);
  });
});

describe("adminGetRunnerRegistrationToken, adminPostRunnerRegistrationToken", () => {
  it("200: the older path gives the installation's token, too (B-17d, D-PATHS); 403 for others, 401 for nobody", async () => {
    const { json } = await ask(at("/admin/actions"), boss);
    for (const method of ["GET", "POST"]) {
      const answer = await ask(at("/admin"), boss, method);
      expect([answer.status, answer.json]).toEqual([200, json]);
      expect((await ask(at("/admin"), owner, method)).status).toBe(403);
      expect((await ask(at("/admin"), undefined, method)).status).toBe(401);
    }
  });
});

describe("a repository that gets another owner", () => {
  it("deactivates its registration token: the former owner registers nobody with it (B-17a)", async () => {
    await api.call("POST", "/user/repos", { as: owner, body: { name: "given" } });
    const former = (await ask(at("/repos/olga/given/actions"), owner)).json.token;
    const body = { new_owner: "acme" };
    expect((await api.call("POST", "/repos/olga/given/transfer", { as: owner, body })).status).toBe(202);
    expect(await placeOfRegistrationToken(api.forge, former)).toBeUndefined();
    const { json } = await ask(at("/repos/acme/given/actions"), owner);
    expect(json.token).not.toBe(former);
    expect(await placeOfRegistrationToken(api.forge, json.token)).toMatchObject({ kind: "repository" });
  });
});
