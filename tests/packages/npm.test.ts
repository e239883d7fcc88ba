import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { findingsOf } from "#tests/support/findings";
import { askRegistry, npmDocument } from "./registry.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let ask: ReturnType<typeof askRegistry>;
const root = "http://127.0.0.1:3000/api/packages";

beforeAll(async () => {
  api = await makeApi();
  ask = askRegistry(api);
  await api.makeUser({ name: "root", isAdmin: true });
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
});
afterAll(() => api.stop());

const escaped = (name: string) => name.replace("/", "%2f");
const publish = (name: string, version: string, options = {}, as = alice) =>
  ask("PUT", `/alice/npm/${escaped(name)}`, { as, body: npmDocument(name, version, options) });
const metadata = (name: string, options = {}) => ask("GET", `/alice/npm/${name}`, options);

describe("publishNpmPackage", () => {
  it("201: the document shows the version, and its file has the integrity that it says (semantics §58.5)", async () => {
    const manifest = {
      description: "A thing",
      author: { name: "A", email: "a@example.com" },
      license: "MIT",
      homepage: "javascript:alert(1)",
      keywords: ["one", "two"],
      dependencies: { other: "^1.0.0" },
      bin: { thing: "cli.js" },
      engines: { node: ">=20" },
      scripts: { postinstall: "node build.js" },
      readme: "# Thing",
      unknown: { left: "out" },
    };
    const bytes = gzipSync("the bytes");
    const given = npmDocument("@s/p", "1.0.0", { manifest, bytes });
    const dist = { integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}` };
    given.versions["1.0.0"] = { ...given.versions["1.0.0"], dist } as never;
    expect(await ask("PUT", "/alice/npm/@s%2fp", { as: alice, body: given })).toMatchObject({
      status: 201,
      text: "",
    });
    const { json } = await metadata("@s/p");
    expect(json).toMatchObject({
      _id: "@s/p",
      name: "@s/p",
      description: "A thing",
      author: { name: "A" },
      license: "MIT",
      readme: "# Thing",
      "dist-tags": { latest: "1.0.0" },
      time: { "1.0.0": expect.stringMatching(/Z$/) },
    });
    const version = json.versions["1.0.0"];
    expect(version).toEqual({
      _id: "@s/p@1.0.0",
      name: "@s/p",
      version: "1.0.0",
      description: "A thing",
      author: { name: "A" },
      license: "MIT",
      keywords: ["one", "two"],
      dependencies: { other: "^1.0.0" },
      bin: { thing: "cli.js" },
      engines: { node: ">=20" },
      hasInstallScript: true,
      readme: "# Thing",
      dist: {
        ...dist,
        shasum: createHash("sha1").update(bytes).digest("hex"),
        tarball: `${root}/alice/npm/%40s%2Fp/-/1.0.0/p-1.0.0.tgz`,
      },
    });
    const file = await ask("GET", version.dist.tarball.slice(root.length));
    expect([file.status, file.bytes.equals(bytes)]).toEqual([200, true]);
    expect((await ask("GET", "/alice/npm/@s/p/-/p-1.0.0.tgz")).bytes.equals(bytes)).toBe(true);
    expect((await publish("@s/p", "1.0.0")).status).toBe(409);
  });

  it.each([
    ["no version", { versions: {} }],
    ["a version that is none", npmDocument("bad", "1").versions && npmDocument("bad", "1")],
    ["a version with zeros", npmDocument("bad", "01.0.0")],
    ["no integrity", npmDocument("bad", "1.0.0", { manifest: { dist: {} } })],
    ["another integrity", npmDocument("bad", "1.0.0", { manifest: { dist: { integrity: "sha512-AAAA" } } })],
    ["an empty file", npmDocument("bad", "1.0.0", { bytes: Buffer.alloc(0) })],
    ["no base64", { ...npmDocument("bad", "1.0.0"), _attachments: { f: { data: "%%%%" } } }],
    ["half of base64", { ...npmDocument("bad", "1.0.0"), _attachments: { f: { data: "YWJ" } } }],
    [
      "two files",
      { ...npmDocument("bad", "1.0.0"), _attachments: { f: { data: "YQ==" }, g: { data: "YQ==" } } },
    ],
    ["no file", { ...npmDocument("bad", "1.0.0"), _attachments: {} }],
    ["a tag like a version", npmDocument("bad", "1.0.0", { tags: { "v1.0": "1.0.0" } })],
    ["an empty tag", npmDocument("bad", "1.0.0", { tags: { "": "1.0.0" } })],
    ["another package's document", npmDocument("other", "1.0.0")],
    [
      "a manifest past 64 KiB",
      npmDocument("bad", "1.0.0", { manifest: { description: "x".repeat(70_000) } }),
    ],
    ["a list", []],
  ])("400: %s", async (_what, body) => {
    const answer = await ask("PUT", "/alice/npm/bad", { as: alice, body });
    expect([answer.status, typeof answer.json.error]).toEqual([400, "string"]);
    expect((await metadata("bad")).status).toBe(404);
  });

  it.each(["Bad", "has space", "..", "_x", ".x", "x".repeat(215), "@s/", "@S/p", "@s/p/q"])(
    "400 or 404: the name %s",
    async (name) => {
      const path = `/alice/npm/${encodeURIComponent(name)}`;
      const { status } = await ask("PUT", path, { as: alice, body: npmDocument(name, "1.0.0") });
      expect([400, 404, 405]).toContain(status);
    },
  );

  it("400 and 413: what is no JSON, too long beside its file, of too many values or too deep", async () => {
    const send = async (body: string) => (await ask("PUT", "/alice/npm/bad", { as: alice, body })).status;
    expect(await send("{")).toBe(400);
    expect(await send('"text"')).toBe(400);
    expect(await send(`{"versions":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)).toBe(400);
    expect(await send(`{"readme":"${"x".repeat(9 * 2 ** 20)}"}`)).toBe(413);
    expect(await send(`{"a":[${"0,".repeat(300_000)}0]}`)).toBe(413);
    const tags = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`t${at}`, "1.0.0"]));
    expect((await publish("bad", "1.0.0", { tags })).status).toBe(422);
    expect((await metadata("bad")).status).toBe(404);
  });

  it("201: a slash may be escaped in the file; an upload in small pieces is the same", async () => {
    const bytes = Buffer.from("ff".repeat(100_000), "hex");
    const body = JSON.stringify(npmDocument("slashes", "1.0.0", { bytes })).replaceAll("/", "\\/");
    expect((await ask("PUT", "/alice/npm/slashes", { as: alice, body })).status).toBe(201);
    const { bytes: stored } = await ask("GET", "/alice/npm/slashes/-/slashes-1.0.0.tgz");
    expect(stored.equals(bytes)).toBe(true);
  });

  it("401 without a token and for a stranger; 409 for the second of two at once", async () => {
    expect((await ask("PUT", "/alice/npm/p", { body: npmDocument("p", "1.0.0") })).status).toBe(401);
    expect((await publish("p", "1.0.0", {}, bob)).status).toBe(401);
    const sent = await Promise.all(
      [1, 2, 3, 4].map((at) => publish("race", "1.0.0", { bytes: Buffer.of(at) })),
    );
    expect(sent.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const versions = ["1.0.0", "1.1.0", "1.2.0", "2.0.0-beta.1"];
    const others = await Promise.all(versions.map((version) => publish("many", version)));
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(Object.keys((await metadata("many")).json.versions).sort()).toEqual(versions);
    expect(await findingsOf(api)).toEqual([]);
  });

  it("links a package to the repository that it names, if it is the owner's; 403 for one that they may not write", async () => {
    await makeRepository(api, alice, "code");
    await makeRepository(api, bob, "theirs");
    await makeRepository(api, bob, "hidden", { private: true });
    const url = (path: string) => ({
      manifest: { repository: { url: `git+http://127.0.0.1:3000/${path}.git` } },
    });
    const sent = async (name: string, path: string) => {
      const given = npmDocument(name, "1.0.0");
      Object.assign(given.versions["1.0.0"] as object, url(path).manifest);
      return (await ask("PUT", `/alice/npm/${name}`, { as: alice, body: given })).status;
    };
    expect(await sent("linked", "alice/code")).toBe(201);
    expect(await sent("unlinked", "bob/theirs")).toBe(403);
    expect(await sent("elsewhere", "bob/hidden")).toBe(201);
    const repositoryOf = async (name: string) =>
      (await api.call("GET", `/packages/alice/npm/${name}/1.0.0`, { as: alice })).json.repository?.name;
    expect([await repositoryOf("linked"), await repositoryOf("elsewhere")]).toEqual(["code", undefined]);
  });
});

describe("getNpmPackage", () => {
  it("200: in every form of a scoped name alike; 304 for who has it, until anything changes", async () => {
    await publish("@f/x", "1.0.0");
    const forms = ["@f/x", "@f%2fx", "@f%2Fx", "%40f%2Fx", "%40f/x"];
    const answers = await Promise.all(forms.map((form) => metadata(form)));
    expect(answers.map(({ status }) => status)).toEqual(forms.map(() => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const headers = { "if-none-match": answers[0]?.headers.get("etag") ?? "" };
    expect((await metadata("@f/x", { headers })).status).toBe(304);
    await publish("@f/x", "1.0.1");
    expect((await metadata("@f/x", { headers })).status).toBe(200);
  });

  it("200: the highest version's texts stand for the package, by semantic order", async () => {
    for (const version of ["1.10.0", "1.9.0", "2.0.0-rc.1", "1.10.1"]) {
      const given = npmDocument("ordered", version);
      Object.assign(given.versions[version] as object, { description: version });
      await ask("PUT", "/alice/npm/ordered", { as: alice, body: given });
    }
    const { json } = await metadata("ordered");
    expect([json.description, json["dist-tags"]]).toEqual(["2.0.0-rc.1", { latest: "1.10.1" }]);
  });

  it.each([
    "none",
    "@s/none",
    "@s",
    "ordered/-/9.9.9/ordered-9.9.9.tgz",
    "ordered/-/other-1.9.0.tgz",
    "-/whoami",
    "-/ping",
  ])("404 in npm's form: %s", async (path) => {
    const answer = await metadata(path);
    expect([answer.status, typeof answer.json.error]).toEqual([404, "string"]);
  });

  it("404: the probes of npm audit, so that an install goes on", async () => {
    for (const path of ["v1/security/advisories/bulk", "v1/security/audits/quick"]) {
      const answer = await ask("POST", `/alice/npm/-/npm/${path}`, { as: alice, body: {} });
      expect([answer.status, typeof answer.json.error]).toEqual([404, "string"]);
    }
  });

  it("307: a former name of the owner leads on", async () => {
    const owner = await api.makeUser({ name: "before" });
    await ask("PUT", "/before/npm/moved", { as: owner, body: npmDocument("moved", "1.0.0") });
    const admin = await api.makeUser({ isAdmin: true });
    const body = { new_username: "after" };
    expect((await api.call("POST", "/admin/users/before/rename", { as: admin, body })).status).toBe(204);
    const { status, headers } = await ask("GET", "/before/npm/moved", { as: owner });
    expect([status, headers.get("location")]).toEqual([307, `${root}/after/npm/moved`]);
    const { json } = await ask("GET", "/after/npm/moved", { as: owner });
    expect(json.versions["1.0.0"].dist.tarball).toContain("/after/npm/moved/");
  });
});

describe("deprecating", () => {
  const put = (versions: object) =>
    ask("PUT", "/alice/npm/old", { as: alice, body: { name: "old", versions, _attachments: {} } });
  it("201: a document without a file says why nobody should use a version, and takes it back", async () => {
    await publish("old", "1.0.0");
    await publish("old", "1.1.0");
    const { headers } = await metadata("old");
    const known = { "if-none-match": headers.get("etag") ?? "" };
    expect((await put({ "1.0.0": { deprecated: "take 1.1" }, "1.1.0": {} })).status).toBe(201);
    const { status, json } = await metadata("old", { headers: known });
    expect(status).toBe(200);
    expect([json.versions["1.0.0"].deprecated, json.versions["1.1.0"].deprecated]).toEqual([
      "take 1.1",
      undefined,
    ]);
    expect((await put({ "1.0.0": { deprecated: "" } })).status).toBe(201);
    expect((await metadata("old")).json.versions["1.0.0"]).not.toHaveProperty("deprecated");
    expect((await put({ "9.0.0": { deprecated: "x" } })).status).toBe(400);
    expect((await put({ "1.0.0": { deprecated: "x".repeat(1_025) } })).status).toBe(422);
    expect(await findingsOf(api)).toEqual([]);
  });
});

describe("npm dist-tags", () => {
  const tags = "/alice/npm/-/package/tagged/dist-tags";
  const put = (tag: string, version: string, as = alice) =>
    ask("PUT", `${tags}/${tag}`, {
      as,
      body: JSON.stringify(version),
      headers: { "content-type": "application/json" },
    });
  it("200, 404, 400: a tag leads to a version that is there, and is no version number (semantics §58.5)", async () => {
    await publish("tagged", "1.0.0");
    expect((await put("next", "1.0.0")).status).toBe(200);
    expect((await ask("GET", tags)).json).toEqual({ latest: "1.0.0", next: "1.0.0" });
    expect((await put("v1.0", "1.0.0")).status).toBe(400);
    expect((await put("next", "9.9.9")).status).toBe(404);
    expect((await put("next", "1.0.0", bob)).status).toBe(401);
    const remove = () => ask("DELETE", `${tags}/next`, { as: alice });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 200]);
    expect((await ask("DELETE", `${tags}/1.0`, { as: alice })).status).toBe(400);
    expect((await ask("GET", "/alice/npm/-/package/none/dist-tags")).json).toEqual({});
    expect((await ask("GET", "/alice/npm/-/package/@s%2fnone/dist-tags")).json).toEqual({});
  });
});

describe("npm unpublish", () => {
  it("200: one version goes, then all of the package (semantics §58.5)", async () => {
    await publish("@u/p", "1.0.0");
    await publish("@u/p", "2.0.0");
    const { json } = await metadata("@u/p");
    const path = json.versions["2.0.0"].dist.tarball.slice(root.length);
    const half = `/alice/npm/@u%2fp/-rev/${json._rev}`;
    expect((await ask("PUT", half, { as: alice, body: json })).status).toBe(200);
    expect((await ask("DELETE", `${path}/-rev/x`, { as: bob })).status).toBe(401);
    expect((await ask("DELETE", `${path}/-rev/x`, { as: alice })).status).toBe(200);
    expect((await ask("DELETE", `${path}/-rev/x`, { as: alice })).status).toBe(404);
    const { json: left } = await metadata("@u/p");
    expect([Object.keys(left.versions), left["dist-tags"]]).toEqual([["1.0.0"], {}]);
    expect((await ask("DELETE", "/alice/npm/@u%2fp/-rev/x", { as: alice })).status).toBe(200);
    expect((await metadata("@u/p")).status).toBe(404);
    expect((await publish("@u/p", "1.0.0")).status).toBe(201);
    expect(await findingsOf(api)).toEqual([]);
  });
});

describe("searchNpmPackages", () => {
  it("200: packages by a part of their names, as their newest version (semantics §58.5)", async () => {
    const owner = await api.makeUser({ name: "finder" });
    for (const [name, version] of [
      ["@s/needle", "1.0.0"],
      ["@s/needle", "1.1.0"],
      ["needles", "0.1.0"],
      ["hay", "1.0.0"],
    ] as const) {
      await ask("PUT", `/finder/npm/${escaped(name)}`, { as: owner, body: npmDocument(name, version) });
    }
    const find = async (query: string) => (await ask("GET", `/finder/npm/-/v1/search?${query}`)).json;
    const { objects, total } = await find("text=needle&size=10");
    expect([total, objects.length]).toEqual([2, 2]);
    expect(objects[1].package).toMatchObject({
      ...{ scope: "s", name: "needle", version: "1.1.0", publisher: { name: "finder" }, maintainers: [] },
    });
    expect(objects[0].package.scope).toBe("unscoped");
    expect(await find("text=needle&from=2")).toEqual({ objects: [], total: 2 });
    expect((await find("size=1")).objects.length).toBe(1);
  });
});
