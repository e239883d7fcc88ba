import { describe, expect, it } from "vitest";
import { actionSecretsFor, setActionSecret } from "#core/action-secret/action-secret";
import { createSecrets } from "#core/secrets";
import { put } from "#core/table/write";
import type { Caller, JsonValue } from "#tests/support/api";
import { api, call, other, owner, useSecrets } from "./secrets-world.ts";

useSecrets();

const places = [
  {
    operations: "repoListActionsSecrets, updateRepoSecret, deleteRepoSecret",
    path: "/repos/olga/a/actions/secrets",
    refused: 403,
  },
  {
    operations: "orgListActionsSecrets, updateOrgSecret, deleteOrgSecret",
    path: "/orgs/acme/actions/secrets",
    refused: 403,
  },
  {
    operations: "userListActionsSecrets, updateUserSecret, deleteUserSecret",
    path: "/user/actions/secrets",
    refused: undefined,
  },
] as const;

describe.each(places)("$operations (semantics §63.1)", ({ path, refused }) => {
  it("201, 204, 200, 404: is set, replaced, listed by its name alone, and deleted (63.5-1)", async () => {
    const created = await call("PUT", `${path}/password`, {
      data: "open sesame",
      description: "of the cave",
    });
    expect([created.status, created.text]).toEqual([201, ""]);
    const replaced = await call("PUT", `${path}/PassWord`, { data: "sesame, open" });
    expect([replaced.status, replaced.text]).toEqual([204, ""]);
    const { status, json, text, headers } = await call("GET", path);
    const shown = { name: "PASSWORD", description: "of the cave", created_at: "2030-01-02T03:04:05Z" };
    expect([status, json, headers.get("x-total-count")]).toEqual([200, [shown], "1"]);
    expect(text).not.toContain("sesame");
    const removed = await call("DELETE", `${path}/passworD`);
    expect([removed.status, removed.text]).toEqual([204, ""]);
    expect((await call("DELETE", `${path}/password`)).status).toBe(404);
  });

  it("200: pages by name", async () => {
    for (const name of ["c", "a", "b"]) await call("PUT", `${path}/list_${name}`, { data: "x" });
    const { json, headers } = await call("GET", `${path}?limit=2&page=2`);
    expect(json.map(({ name }: JsonValue) => name)).toEqual(["LIST_C"]);
    expect(headers.get("x-total-count")).toBe("3");
  });

  it("400: names that none may have; 422: values that are empty or too long (63.5-1)", async () => {
    for (const name of ["1x", "a-b", "ä", "github_x", "GITEA_X", "Forgejo_x", "x".repeat(256)]) {
      const there = `${path}/${encodeURIComponent(name)}`;
      const statuses = [
        (await call("PUT", there, { data: "v" })).status,
        (await call("DELETE", there)).status,
      ];
      expect([name, ...statuses]).toEqual([name, 400, 400]);
    }
    const bodies = [{}, { data: "" }, { data: 1 }, { data: "x".repeat(49_153) }];
    for (const body of bodies) expect((await call("PUT", `${path}/odd`, body)).status).toBe(422);
    expect((await call("PUT", `${path}/ci_may`, { data: "x".repeat(49_152) })).status).toBe(201);
    expect((await call("DELETE", `${path}/ci_may`)).status).toBe(204);
  });

  it("401: nobody; nothing of it for those who may not", async () => {
    await call("PUT", `${path}/mine`, { data: "1" });
    const statuses = async (as?: Caller) => [
      (await api.call("GET", path, { as })).status,
      (await api.call("PUT", `${path}/theirs`, { as, body: { data: "2" } })).status,
      (await api.call("DELETE", `${path}/mine`, { as })).status,
    ];
    expect(await statuses()).toEqual(Array(3).fill(401));
    expect(await statuses(other)).toEqual(refused === undefined ? [200, 201, 404] : Array(3).fill(refused));
    expect((await call("DELETE", `${path}/mine`)).status).toBe(204);
  });
});

describe("secrets of a job (semantics §61)", () => {
  const jobOf = async (name: string) => {
    const { json } = await call("GET", `/repos/olga/${name}`);
    return {
      owner: { kind: "user", id: owner.user.id },
      repository: { kind: "repository", id: json.id, ownerId: owner.user.id },
    } as const;
  };

  it("are the owner's and the repository's, which win; one whose key is lost is left out", async () => {
    await call("PUT", "/user/actions/secrets/shared", { data: "owner's" });
    await call("PUT", "/user/actions/secrets/only_owners", { data: "owner's" });
    await call("PUT", "/repos/olga/b/actions/secrets/shared", { data: "repository's" });
    const job = await jobOf("b");
    const found = await actionSecretsFor(api.forge, job);
    expect(found).toMatchObject({ SHARED: "repository's", ONLY_OWNERS: "owner's" });
    const secrets = createSecrets(Buffer.alloc(32, 9).toString("base64"));
    expect(await actionSecretsFor({ ...api.forge, secrets }, job)).toEqual({});
  });

  it("lie sealed, each for its place and name: a copy elsewhere opens nothing", async () => {
    const job = await jobOf("b");
    await setActionSecret(api.forge, job.repository, { name: "seal", value: "in the clear" });
    const { pk } = { pk: `R#${job.repository.id}` };
    const item = await api.forge.table.get({ pk, sk: "SECRET#SEAL" });
    expect(JSON.stringify(item)).not.toContain("clear");
    await api.forge.table.write(put({ ...item, pk, sk: "SECRET#COPY", name: "COPY" }));
    const found = await actionSecretsFor(api.forge, job);
    expect([found.SEAL, found.COPY]).toEqual(["in the clear", undefined]);
  });
});
