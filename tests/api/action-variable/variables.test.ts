import { describe, expect, it } from "vitest";
import { actionVariablesFor } from "#core/action-variable/action-variable";
import type { Caller, JsonValue } from "#tests/support/api";
import { api, call, other, owner, useVariables } from "./variables-world.ts";

useVariables();

const places = [
  {
    operations:
      "getRepoVariablesList, getRepoVariable, createRepoVariable, updateRepoVariable, deleteRepoVariable",
    path: "/repos/olga/a/actions/variables",
    refused: 403,
  },
  {
    operations:
      "getOrgVariablesList, getOrgVariable, createOrgVariable, updateOrgVariable, deleteOrgVariable",
    path: "/orgs/acme/actions/variables",
    refused: 403,
  },
  {
    operations:
      "getUserVariablesList, getUserVariable, createUserVariable, updateUserVariable, deleteUserVariable",
    path: "/user/actions/variables",
    refused: undefined,
  },
] as const;
const names = (rows: JsonValue[]) => rows.map(({ name }) => name);

describe.each(places)("$operations (semantics §63.1)", ({ path, refused }) => {
  it("204, 200, 409, 404: is created once, found in any case, renamed, and deleted (63.5-2)", async () => {
    const created = await call("POST", `${path}/greeting`, { value: "hello\n", description: "a word" });
    expect([created.status, created.text]).toEqual([204, ""]);
    expect((await call("POST", `${path}/Greeting`, { value: "again" })).status).toBe(409);
    const { status, json } = await call("GET", `${path}/gREETING`);
    const ids = path.startsWith("/repos")
      ? { owner_id: 0, repo_id: expect.any(Number) }
      : { owner_id: expect.any(Number), repo_id: 0 };
    const shown = { ...ids, name: "GREETING", data: "hello\n", description: "a word" };
    expect([status, json]).toEqual([200, shown]);
    const renamed = await call("PUT", `${path}/greeting`, { name: "salute", value: "hi" });
    expect([renamed.status, renamed.text]).toEqual([204, ""]);
    expect((await call("GET", `${path}/greeting`)).status).toBe(404);
    expect((await call("GET", `${path}/salute`)).json).toEqual({ ...shown, name: "SALUTE", data: "hi" });
    expect((await call("PUT", `${path}/salute`, { value: "ho", name: "" })).status).toBe(204);
    expect((await call("GET", `${path}/SALUTE`)).json.data).toBe("ho");
    const after = [
      await call("DELETE", `${path}/Salute`),
      await call("DELETE", `${path}/salute`),
      await call("PUT", `${path}/salute`, { value: "x" }),
    ];
    expect(after.map(({ status }) => status)).toEqual([204, 404, 404]);
  });

  it("200: pages by name, with the values and their number", async () => {
    for (const name of ["c", "a", "b"]) await call("POST", `${path}/list_${name}`, { value: name });
    const { json, headers } = await call("GET", `${path}?limit=2&page=1`);
    expect(names(json)).toEqual(["LIST_A", "LIST_B"]);
    expect([json[0].data, headers.get("x-total-count")]).toEqual(["a", "3"]);
    expect(names((await call("GET", `${path}?limit=2&page=2`)).json)).toEqual(["LIST_C"]);
  });

  it("400: names that none may have, 404 when they are looked up; 409: a taken one (63.5-2)", async () => {
    await call("POST", `${path}/taken`, { value: "1" });
    await call("POST", `${path}/free`, { value: "2" });
    const bad = ["1x", "a-b", "ä", "github_x", "GITEA_X", "Forgejo_x", "CI_X", "ci", "x".repeat(256)];
    for (const name of bad) {
      const there = `${path}/${encodeURIComponent(name)}`;
      const statuses = [
        (await call("POST", there, { value: "v" })).status,
        (await call("PUT", `${path}/free`, { name, value: "v" })).status,
        (await call("DELETE", there)).status,
        (await call("GET", there)).status,
        (await call("PUT", there, { value: "v" })).status,
      ];
      expect([name, ...statuses]).toEqual([name, 400, 400, 400, 404, 404]);
    }
    expect((await call("PUT", `${path}/free`, { name: "taken", value: "v" })).status).toBe(409);
    expect((await call("GET", `${path}/free`)).json.data).toBe("2");
    expect((await call("GET", `${path}/taken`)).json.data).toBe("1");
  });

  it("422: values that are empty or too long, and descriptions that are", async () => {
    const bodies = [
      {},
      { value: "" },
      { value: 1 },
      { value: "ä".repeat(24_577) },
      { value: "v", description: "d".repeat(256) },
    ];
    for (const body of bodies) expect((await call("POST", `${path}/odd`, body)).status).toBe(422);
    expect((await call("POST", `${path}/odd`, { value: "ä".repeat(24_576) })).status).toBe(204);
    for (const body of bodies) expect((await call("PUT", `${path}/odd`, body)).status).toBe(422);
    expect((await call("DELETE", `${path}/odd`)).status).toBe(204);
  });

  it("401: nobody; nothing of it for those who may not", async () => {
    await call("POST", `${path}/mine`, { value: "1" });
    const statuses = async (as?: Caller) => [
      (await api.call("GET", path, { as })).status,
      (await api.call("GET", `${path}/mine`, { as })).status,
      (await api.call("POST", `${path}/theirs`, { as, body: { value: "2" } })).status,
      (await api.call("PUT", `${path}/mine`, { as, body: { value: "2" } })).status,
      (await api.call("DELETE", `${path}/mine`, { as })).status,
    ];
    expect(await statuses()).toEqual(Array(5).fill(401));
    expect(await statuses(other)).toEqual(
      refused === undefined ? [200, 404, 204, 404, 404] : Array(5).fill(refused),
    );
    expect((await call("GET", `${path}/mine`)).json.data).toBe("1");
  });
});

describe("variables of a job (semantics §61)", () => {
  it("are the owner's and the repository's, which win (61-1)", async () => {
    await call("POST", "/user/actions/variables/shared", { value: "owner's" });
    await call("POST", "/user/actions/variables/only_owners", { value: "owner's" });
    await call("POST", "/repos/olga/b/actions/variables/shared", { value: "repository's" });
    const { json } = await call("GET", "/repos/olga/b");
    const places = {
      owner: { kind: "user", id: owner.user.id },
      repository: { kind: "repository", id: json.id, ownerId: owner.user.id },
    } as const;
    const found = await actionVariablesFor(api.forge, places);
    expect(found).toMatchObject({ SHARED: "repository's", ONLY_OWNERS: "owner's" });
  });
});
