import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let head = "";

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await makeRepository(api, alice, "r");
  head = await pushFiles(api, alice, "r", {
    files: { f: "1" },
    seconds: 1_000,
    message: "Subject\n\nBody\n",
  });
  await makeRepository(api, alice, "empty");
});
afterAll(() => api.stop());

const call = (method: string, path: string, body?: object, as: Caller = alice) =>
  api.call(method, `/repos/alice/${path}`, { as, ...defined({ body }) });

describe("repoCreateTag", () => {
  it("201: a lightweight tag is the commit's id with its message (semantics §40-4)", async () => {
    const { status, json } = await call("POST", "r/tags", { tag_name: "light/1", target: head.slice(0, 8) });
    expect(status).toBe(201);
    expect(json).toEqual({
      name: "light/1",
      message: "Subject\n\nBody",
      id: head,
      commit: {
        sha: head,
        url: `http://127.0.0.1:3000/api/v1/repos/alice/r/git/commits/${head}`,
        created: "1970-01-01T00:16:40Z",
      },
      zipball_url: "http://127.0.0.1:3000/alice/r/archive/light/1.zip",
      tarball_url: "http://127.0.0.1:3000/alice/r/archive/light/1.tar.gz",
      archive_download_count: { zip: 0, tar_gz: 0 },
    });
    expect((await call("GET", `r/git/tags/${json.id}`)).status).toBe(400);
  });

  it("201: with a message an annotated one of the caller's", async () => {
    const { status, json } = await call("POST", "r/tags", { tag_name: "v1", message: "Version 1\n" });
    expect([status, json.message, json.commit.sha]).toEqual([201, "Version 1", head]);
    expect(json.id).not.toBe(head);
    const object = await call("GET", `r/git/tags/${json.id}`);
    expect(object.json).toMatchObject({ tag: "v1", message: "Version 1\n", tagger: { name: "alice" } });
  });

  it("201: in a SHA-256 repository (B-09)", async () => {
    await makeRepository(api, alice, "long", { object_format_name: "sha256" });
    await pushFiles(api, alice, "long", { files: { f: "1" } });
    const { json } = await call("POST", "long/tags", { tag_name: "v", message: "m" });
    expect(json.id).toMatch(/^[0-9a-f]{64}$/);
  });

  it("404: unknown target, empty repository; 409: taken; 422: no name that git allows", async () => {
    const post = async (body: object, repo = "r") => (await call("POST", `${repo}/tags`, body)).status;
    expect(await post({ tag_name: "n", target: "none" })).toBe(404);
    expect(await post({ tag_name: "n" }, "empty")).toBe(404);
    expect(await post({ tag_name: "taken" })).toBe(201);
    expect(await post({ tag_name: "taken" })).toBe(409);
    expect(await post({ tag_name: "taken/below" })).toBe(409);
    for (const tag_name of ["a..b", "-a", "", "x".repeat(256)]) expect(await post({ tag_name })).toBe(422);
    expect(await post({})).toBe(422);
  });

  it("403: a reader; 423: an archive", async () => {
    expect((await call("POST", "r/tags", { tag_name: "n" }, bob)).status).toBe(403);
    await makeRepository(api, alice, "old");
    await call("PATCH", "old", { archived: true });
    expect((await call("POST", "old/tags", { tag_name: "n" })).status).toBe(423);
  });
});

describe("repoListTags", () => {
  it("200: newest first by the tagger's date, by page (semantics §40)", async () => {
    await makeRepository(api, alice, "many");
    await pushFiles(api, alice, "many", { files: { f: "1" }, seconds: 1_000 });
    for (const tag_name of ["b", "a"]) await call("POST", "many/tags", { tag_name });
    await call("POST", "many/tags", { tag_name: "z", message: "newest" });
    const { status, json, headers } = await call("GET", "many/tags?limit=2");
    expect(status).toBe(200);
    expect(json.map(({ name }: { name: string }) => name)).toEqual(["z", "a"]);
    expect(headers.get("x-total-count")).toBe("3");
    expect((await call("GET", "empty/tags")).json).toEqual([]);
  });
});

describe("repoGetTag", () => {
  it("200: slashes raw and encoded (D-RAWPATH); 404: unknown", async () => {
    await call("POST", "r/tags", { tag_name: "rel/1.0" });
    for (const name of ["rel/1.0", "rel%2F1.0"]) {
      expect((await call("GET", `r/tags/${name}`)).json.name).toBe("rel/1.0");
    }
    for (const name of ["none", "rel", "main"])
      expect((await call("GET", `r/tags/${name}`)).status).toBe(404);
  });
});

describe("repoDeleteTag", () => {
  it("204: gone; 404: the second time; 403: a reader", async () => {
    await call("POST", "r/tags", { tag_name: "gone/soon" });
    expect((await call("DELETE", "r/tags/gone/soon", undefined, bob)).status).toBe(403);
    expect((await call("DELETE", "r/tags/gone/soon")).status).toBe(204);
    expect((await call("DELETE", "r/tags/gone/soon")).status).toBe(404);
  });

  it("422: a rule keeps the tag from the caller, and it stays", async () => {
    await call("POST", "r/tags", { tag_name: "kept/1" });
    await call("PUT", "r/collaborators/bob", { permission: "write" });
    await call("POST", "r/tag_protections", { name_pattern: "kept/*", whitelist_usernames: ["alice"] });
    expect((await call("DELETE", "r/tags/kept/1", undefined, bob)).status).toBe(422);
    expect((await call("GET", "r/tags/kept/1")).status).toBe(200);
  });
});
