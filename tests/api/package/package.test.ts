import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { askRegistry, npmDocument } from "../../packages/registry.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let ask: ReturnType<typeof askRegistry>;

beforeAll(async () => {
  api = await makeApi();
  ask = askRegistry(api);
  await api.makeUser({ name: "root", isAdmin: true });
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
});
afterAll(() => api.stop());

const put = async (path: string, body = "abc", as = alice) =>
  expect((await ask("PUT", `/${as.name}/generic/${path}`, { as, body })).status).toBe(201);
const publish = async (name: string, version: string, as = alice) => {
  const path = `/${as.name}/npm/${encodeURIComponent(name)}`;
  expect((await ask("PUT", path, { as, body: npmDocument(name, version) })).status).toBe(201);
};
const names = (json: { name: string; version: string }[]) =>
  json.map(({ name, version }) => `${name} ${version}`);

describe("listPackages", () => {
  it("200: versions, the newest first, by registry and by a part of the name, in pages (semantics §56)", async () => {
    const carol = await api.makeUser({ name: "carol" });
    await put("tool/1.0/a", "abc", carol);
    await put("tool/1.0/b", "abc", carol);
    await publish("@s/tool", "1.0.0", carol);
    await publish("@s/tool", "1.1.0", carol);
    await put("other/1/a", "abc", carol);
    const list = (query: string) => api.call("GET", `/packages/carol?${query}`);
    const all = await list("");
    expect(names(all.json)).toEqual(["other 1", "@s/tool 1.1.0", "@s/tool 1.0.0", "tool 1.0"]);
    expect(all.headers.get("x-total-count")).toBe("4");
    expect(names((await list("type=npm")).json)).toEqual(["@s/tool 1.1.0", "@s/tool 1.0.0"]);
    expect(names((await list("type=all&q=TOOL&limit=1&page=2")).json)).toEqual(["@s/tool 1.0.0"]);
    expect((await list("q=tool&limit=1&page=2")).headers.get("link")).toContain('rel="next"');
    expect((await list("type=maven")).json).toEqual([]);
    expect(all.json[3]).toMatchObject({
      ...{ type: "generic", name: "tool", version: "1.0", repository: null },
      owner: { login: "carol" },
      creator: { login: "carol" },
      html_url: "http://127.0.0.1:3000/carol/-/packages/generic/tool/1.0",
    });
  });

  it("404 for an owner that is not there, and for a hidden one (D-HIDDEN); 403 without the scope", async () => {
    const hidden = await api.makeUser({ visibility: "private" });
    expect((await api.call("GET", "/packages/nobody-here")).status).toBe(404);
    for (const as of [undefined, bob]) {
      expect((await api.call("GET", `/packages/${hidden.name}`, { as })).status).toBe(404);
    }
    expect((await api.call("GET", `/packages/${hidden.name}`, { as: hidden })).status).toBe(200);
    const token = await api.makeToken(alice, ["read:repository"]);
    expect((await api.call("GET", "/packages/alice", { as: { ...alice, token } })).status).toBe(403);
  });
});

describe("getPackage", () => {
  it("200 in any case and in each form of a scoped name; 404 for another registry (semantics §56)", async () => {
    await publish("@f/one", "1.0.0");
    for (const path of ["%40f%2Fone/1.0.0", "@f/one/1.0.0", "@F%2FONE/1.0.0"]) {
      const { status, json } = await api.call("GET", `/packages/alice/npm/${path}`);
      expect([path, status, json.name]).toEqual([path, 200, "@f/one"]);
    }
    for (const path of ["generic/@f/one/1.0.0", "maven/one/1", "npm/@f/one/2.0.0", "npm/none/1"]) {
      expect([path, (await api.call("GET", `/packages/alice/${path}`)).status]).toEqual([path, 404]);
    }
  });
});

describe("listPackageVersions", () => {
  it("200: those of one package, the newest first; 404 without it", async () => {
    await publish("@l/p", "1.0.0");
    await publish("@l/p", "2.0.0");
    await publish("@l/pp", "3.0.0");
    const { json, headers } = await api.call("GET", "/packages/alice/npm/@l/p");
    expect([names(json), headers.get("x-total-count")]).toEqual([["@l/p 2.0.0", "@l/p 1.0.0"], "2"]);
    expect((await api.call("GET", "/packages/alice/npm/none")).status).toBe(404);
  });
});

describe("getLatestPackageVersion", () => {
  it("200: the newest; 404 without the package", async () => {
    await publish("latest", "2.0.0");
    await publish("latest", "1.0.1");
    expect((await api.call("GET", "/packages/alice/npm/latest/-/latest")).json.version).toBe("1.0.1");
    expect((await api.call("GET", "/packages/alice/npm/none/-/latest")).status).toBe(404);
  });
});

describe("listPackageFiles", () => {
  it("200: names, sizes and hashes (semantics §56)", async () => {
    await put("files/1/b.bin", "bytes");
    await put("files/1/A.bin", "other");
    const { json } = await api.call("GET", "/packages/alice/generic/files/1/files");
    const hash = (name: string) => createHash(name).update("bytes").digest("hex");
    expect(json.map(({ name }: { name: string }) => name)).toEqual(["A.bin", "b.bin"]);
    expect(json[1]).toEqual({
      ...{ id: expect.any(Number), Size: 5, name: "b.bin" },
      ...{ md5: hash("md5"), sha1: hash("sha1"), sha256: hash("sha256"), sha512: hash("sha512") },
    });
    expect((await api.call("GET", "/packages/alice/generic/files/2/files")).status).toBe(404);
  });
});

describe("deletePackage", () => {
  it("401, 403, 204, then 404; the last version takes the package (semantics §56)", async () => {
    await put("gone/1/a");
    await put("gone/2/a");
    const remove = (version: string, as?: Caller) =>
      api.call("DELETE", `/packages/alice/generic/gone/${version}`, { as });
    expect((await remove("1")).status).toBe(401);
    expect((await remove("1", bob)).status).toBe(403);
    expect((await remove("1", alice)).status).toBe(204);
    expect((await remove("1", alice)).status).toBe(404);
    expect((await api.call("GET", "/packages/alice/generic/gone/2")).status).toBe(200);
    expect((await remove("2", alice)).status).toBe(204);
    expect((await api.call("GET", "/packages/alice/generic/gone")).status).toBe(404);
  });
});

describe("deleteWholePackage", () => {
  it("204: it is gone from every list at once, its name is free, and no more is counted", async () => {
    for (const version of ["1.0.0", "1.1.0", "1.2.0"]) await publish("@w/hole", version);
    const path = "/packages/alice/npm/@w/hole";
    expect((await api.call("DELETE", path, { as: bob })).status).toBe(403);
    expect((await api.call("DELETE", path, { as: alice })).status).toBe(204);
    expect((await api.call("DELETE", path, { as: alice })).status).toBe(404);
    expect((await api.call("GET", "/packages/alice?q=hole")).json).toEqual([]);
    await publish("@w/hole", "1.0.0");
    expect(names((await api.call("GET", path)).json)).toEqual(["@w/hole 1.0.0"]);
    expect(await findingsOf(api)).toEqual([]);
  });

  it("204: while a job removes its versions, lists leave them out", async () => {
    await publish("slow", "1.0.0");
    const rule = {
      service: "dynamodb",
      operation: "Query",
      fault: new Error("the query broke"),
      times: 1_000,
    } as const;
    const hit = api.faults.inject({
      ...rule,
      fits: (input: { ExpressionAttributeValues?: object }) =>
        JSON.stringify(input.ExpressionAttributeValues ?? {}).includes('"V#"'),
    });
    const path = "/packages/alice/npm/slow";
    expect((await api.call("DELETE", path, { as: alice })).status).toBe(204);
    expect(hit.hits).toBeGreaterThan(0);
    api.faults.recover();
    const { json, headers } = await api.call("GET", "/packages/alice?q=slow");
    expect([json, headers.get("x-total-count")]).toEqual([[], "0"]);
    api.clock.advance(10 * 60_000);
    await finishJobs(api);
    const left = (await findingsOf(api)).filter(({ invariant }) => invariant !== 20);
    expect(left).toEqual([]);
  }, 60_000);
});

describe("linkPackage", () => {
  it("201, then 400; the repository is shown to who may see it, and the file stays readable (semantics §56, §59.3)", async () => {
    await makeRepository(api, alice, "secret", { private: true });
    await makeRepository(api, bob, "bobs");
    await put("linked/1/a");
    const link = (repo: string, as: Caller) =>
      api.call("POST", `/packages/alice/generic/linked/-/link/${repo}`, { as });
    expect((await link("secret", bob)).status).toBe(403);
    expect((await link("none", alice)).status).toBe(404);
    expect((await link("bobs", alice)).status).toBe(404);
    expect((await link("secret", alice)).status).toBe(201);
    expect((await link("secret", alice)).status).toBe(400);
    const shown = async (as?: Caller) =>
      (await api.call("GET", "/packages/alice/generic/linked/1", { as })).json.repository?.name ?? null;
    expect([await shown(alice), await shown(bob), await shown()]).toEqual(["secret", null, null]);
    expect((await ask("GET", "/alice/generic/linked/1/a")).status).toBe(200);
    await put("linked/2/a", "of the repository");
    expect(await findingsOf(api)).toEqual([]);
  });

  it("a deleted repository unlinks it, a transferred one as well; what counts it moves along", async () => {
    const dora = await api.makeUser({ name: "dora" });
    for (const name of ["ends", "moves"]) {
      await makeRepository(api, dora, name);
      await put(`of-${name}/1/a`, `bytes of ${name}`, dora);
      const path = `/packages/dora/generic/of-${name}/-/link/${name}`;
      expect((await api.call("POST", path, { as: dora })).status).toBe(201);
    }
    await api.call("DELETE", "/repos/dora/ends", { as: dora });
    await put("of-ends/2/a", "more", dora);
    const body = { new_owner: "bob" };
    expect((await api.call("POST", "/repos/dora/moves/transfer", { as: dora, body })).status).toBe(201);
    expect((await api.call("POST", "/repos/dora/moves/transfer/accept", { as: bob })).status).toBe(202);
    await finishJobs(api);
    for (const name of ["ends", "moves"]) {
      const { json } = await api.call("GET", `/packages/dora/generic/of-${name}/1`, { as: dora });
      expect([name, json.repository]).toEqual([name, null]);
    }
    const left = (await findingsOf(api)).filter(({ invariant }) => invariant !== 20);
    expect(left).toEqual([]);
  });
});

describe("unlinkPackage", () => {
  it("204, then 400; of an organization only its owners may (semantics §56)", async () => {
    await api.call("POST", "/orgs", { as: alice, body: { username: "guild" } });
    const body = {
      name: "writers",
      units_map: { "repo.packages": "write" },
      includes_all_repositories: true,
    };
    const team = (await api.call("POST", "/orgs/guild/teams", { as: alice, body })).json.id;
    await api.call("PUT", `/teams/${team}/members/bob`, { as: alice });
    await api.call("POST", "/orgs/guild/repos", { as: alice, body: { name: "code" } });
    expect((await ask("PUT", "/guild/generic/p/1/a", { as: bob, body: "x" })).status).toBe(201);
    const link = await api.call("POST", "/packages/guild/generic/p/-/link/code", { as: bob });
    expect(link.status).toBe(201);
    const unlink = (as: Caller) => api.call("POST", "/packages/guild/generic/p/-/unlink", { as });
    expect((await unlink(bob)).status).toBe(403);
    expect([(await unlink(alice)).status, (await unlink(alice)).status]).toEqual([204, 400]);
    expect((await api.call("DELETE", "/orgs/guild/repos", { as: alice })).status).toBeLessThan(500);
    await api.call("DELETE", "/repos/guild/code", { as: alice });
    expect((await api.call("DELETE", "/orgs/guild", { as: alice })).status).toBe(422);
    expect((await api.call("DELETE", "/packages/guild/generic/p", { as: alice })).status).toBe(204);
    expect((await api.call("DELETE", "/orgs/guild", { as: alice })).status).toBe(204);
  });
});

describe("the end of a user who owns packages", () => {
  it("422 without purge; with it the packages go, objects too (semantics §17)", async () => {
    const admin = await api.makeUser({ isAdmin: true });
    const leaver = await api.makeUser({ name: "leaver" });
    await put("mine/1/a", "only mine", leaver);
    await publish("mine", "1.0.0", leaver);
    const objects = async () => {
      const keys: string[] = [];
      for await (const { key } of api.forge.blobs.list(`packages/${leaver.user.id}/`)) keys.push(key);
      return keys.length;
    };
    expect(await objects()).toBe(2);
    expect((await api.call("DELETE", "/admin/users/leaver", { as: admin })).status).toBe(422);
    expect((await api.call("DELETE", "/admin/users/leaver?purge=true", { as: admin })).status).toBe(204);
    await finishJobs(api);
    expect(await objects()).toBe(0);
    expect((await ask("GET", "/leaver/npm/mine", { as: alice })).status).toBe(404);
    const left = (await findingsOf(api)).filter(({ invariant }) => invariant !== 20);
    expect(left).toEqual([]);
  });
});
