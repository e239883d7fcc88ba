import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pushFiles } from "#tests/support/code";
import { type ReleaseWorld, startReleases } from "./world.ts";

let world: ReleaseWorld;
beforeAll(async () => {
  world = await startReleases();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const status = async (method: string, path: string, body?: object, as = world.owner) =>
  (await world.call(method, path, body, as)).status;
const nowText = () => new Date(world.api.clock.now()).toISOString().replace(/\.\d+Z/, "Z");

describe("repoCreateRelease", () => {
  it("201: makes the tag at the default branch; 409: the second time (semantics §43.5-1)", async () => {
    const made = await world.make({ tag_name: "v1", name: "One", body: "Notes" });
    const html = `http://127.0.0.1:3000/olga/${world.name}`;
    const url = `http://127.0.0.1:3000/api/v1${world.path}/releases/${made.id}`;
    expect(made).toMatchObject({
      ...{ tag_name: "v1", target_commitish: "main", name: "One", body: "Notes", url },
      ...{ html_url: `${html}/releases/tag/v1`, upload_url: `${url}/assets`, hide_archive_links: false },
      ...{ zipball_url: `${html}/archive/v1.zip`, tarball_url: `${html}/archive/v1.tar.gz` },
      ...{ draft: false, prerelease: false, created_at: nowText(), published_at: nowText() },
      ...{ assets: [], archive_download_count: { zip: 0, tar_gz: 0 } },
    });
    expect(made.author.login).toBe("olga");
    expect(await world.tagged("v1")).toBe(world.head);
    for (const tag_name of ["v1", "V1"]) expect(await status("POST", "releases", { tag_name })).toBe(409);
    expect(await world.counter()).toBe(1);
  });

  it("201: on a tag that is there, as old as the tag; its target is a text then (semantics §43.2)", async () => {
    await world.call("POST", "tags", { tag_name: "rel/1.0", target: world.head });
    const made = await world.make({ tag_name: "rel/1.0", target_commitish: "nowhere", prerelease: true });
    expect(made).toMatchObject({
      ...{ target_commitish: "nowhere", prerelease: true, created_at: "2023-11-14T22:13:20Z" },
      html_url: `http://127.0.0.1:3000/olga/${world.name}/releases/tag/rel/1.0`,
    });
    expect((await world.call("GET", "releases/tags/rel/1.0")).json.id).toBe(made.id);
  });

  it("201: at a branch, tag or commit, and with a message an annotated tag", async () => {
    const next = await pushFiles(world.api, world.owner, world.name, { branch: "next", files: { g: "2" } });
    await world.make({ tag_name: "b", target_commitish: "next" });
    await world.make({ tag_name: "t", target_commitish: "b", tag_message: "Said so" });
    await world.make({ tag_name: "c", target_commitish: world.head.slice(0, 10) });
    expect([await world.tagged("b"), await world.tagged("t"), await world.tagged("c")]).toEqual([
      next,
      next,
      world.head,
    ]);
    expect((await world.call("GET", "tags/t")).json.message).toBe("Said so");
  });

  it("404: unknown target; 403: a reader; 401: nobody; 422: no or bad names and texts (semantics §43.5-3, D-TEXT)", async () => {
    expect(await status("POST", "releases", { tag_name: "v1", target_commitish: "nope" })).toBe(404);
    expect(await status("POST", "releases", { tag_name: "v1" }, world.reader)).toBe(403);
    const anonymous = await world.api.call("POST", `${world.path}/releases`, { body: { tag_name: "v1" } });
    expect(anonymous.status).toBe(401);
    const long = "x".repeat(256);
    for (const body of [
      ...[{}, { tag_name: "" }, { tag_name: "a..b" }, { tag_name: "-a" }, { tag_name: long }],
      ...[
        { tag_name: "v", name: long },
        { tag_name: "v", target_commitish: long },
      ],
      ...[
        { tag_name: "v", body: "x".repeat(65_537) },
        { tag_name: "..", draft: true },
      ],
    ]) {
      expect(await status("POST", "releases", body), JSON.stringify(body)).toBe(422);
    }
    expect([await world.tags(), await world.counter()]).toEqual([[], 0]);
    expect((await world.call("GET", "tags")).json).toEqual([]);
  });

  it("422: an empty repository, for a draft too; 409: a tag of a folder's name; 423: an archive (D-ARCHIVED)", async () => {
    await world.make({ tag_name: "v1" });
    expect(await status("POST", "releases", { tag_name: "v1/below" })).toBe(409);
    const release = (await world.make({ tag_name: "v2" })).id;
    await world.call("PATCH", "", { archived: true });
    for (const [method, path] of [
      ["POST", "releases"],
      ["PATCH", `releases/${release}`],
      ["DELETE", `releases/${release}`],
      ["DELETE", "releases/tags/v2"],
      ["POST", `releases/${release}/assets?name=a`],
    ] as const) {
      expect(await status(method, path, method === "DELETE" ? undefined : { tag_name: "v3" })).toBe(423);
    }
    await world.api.call("POST", "/user/repos", { as: world.owner, body: { name: `empty-${world.name}` } });
    for (const draft of [true, false]) {
      const { status: empty } = await world.api.call("POST", `/repos/olga/empty-${world.name}/releases`, {
        as: world.owner,
        body: { tag_name: "v1", draft },
      });
      expect(empty).toBe(422);
    }
  });

  it("422: a rule keeps the tag from the caller, who makes none and deletes none (repoDeleteRelease, repoDeleteReleaseByTag, semantics §43.5-6)", async () => {
    await world.letWrite();
    const mine = await world.make({ tag_name: "v1" });
    await world.call("POST", "tag_protections", { name_pattern: "v*", whitelist_usernames: ["olga"] });
    expect(await status("POST", "releases", { tag_name: "v9" }, world.writer)).toBe(422);
    expect(await world.tagged("v9")).toBeUndefined();
    const draft = await world.make({ tag_name: "v9", draft: true }, world.writer);
    expect(await status("PATCH", `releases/${draft.id}`, { draft: false }, world.writer)).toBe(422);
    for (const release of [mine.id, "tags/v1"]) {
      expect(await status("DELETE", `releases/${release}`, undefined, world.writer)).toBe(422);
    }
    expect(await status("DELETE", `releases/${draft.id}`, undefined, world.writer)).toBe(204);
    expect(await status("DELETE", `releases/${mine.id}`)).toBe(204);
  });
});

describe("a draft", () => {
  it("has no tag and is seen by writers alone; published it has both (semantics §43.5-2)", async () => {
    await world.letWrite();
    const draft = await world.make({ tag_name: "v2", draft: true, target_commitish: "later" });
    expect([await world.tagged("v2"), await world.counter()]).toEqual([undefined, 0]);
    expect([await world.tags("", world.writer), await world.tags("", world.reader)]).toEqual([["v2"], []]);
    expect(await world.tags("?draft=true", world.reader)).toEqual([]);
    for (const path of [`releases/${draft.id}`, "releases/tags/v2", `releases/${draft.id}/assets`]) {
      expect([await status("GET", path, undefined, world.reader), await status("GET", path)]).toEqual([
        404, 200,
      ]);
    }
    expect(await status("POST", "releases", { tag_name: "v2", draft: true })).toBe(409);
    expect(await status("PATCH", `releases/${draft.id}`, { draft: false })).toBe(404);
    world.api.clock.advance(5_000);
    const edit = { draft: false, target_commitish: "main" };
    const { json } = await world.call("PATCH", `releases/${draft.id}`, edit, world.writer);
    expect(json).toMatchObject({ draft: false, created_at: nowText(), author: { login: "olga" } });
    expect([await world.tagged("v2"), await world.counter()]).toEqual([world.head, 1]);
    expect(await world.tags("", world.reader)).toEqual(["v2"]);
    await world.call("PATCH", `releases/${draft.id}`, { draft: true });
    expect([await world.tagged("v2"), await world.counter()]).toEqual([world.head, 0]);
  });
});

describe("repoListReleases", () => {
  it("200: the newest first, then the higher id, by page and filter (semantics §43.1)", async () => {
    await world.make({ tag_name: "a", name: "First" });
    world.api.clock.advance(60_000);
    await world.make({ tag_name: "b", prerelease: true, body: "some\nNOTES" });
    await world.make({ tag_name: "c", draft: true, name: "Notes here" });
    await world.make({ tag_name: "notes/d" });
    await world.call("POST", "tags", { tag_name: "bare" });
    expect(await world.tags()).toEqual(["notes/d", "c", "b", "a"]);
    expect(await world.tags("?draft=true")).toEqual(["c"]);
    expect(await world.tags("?draft=false")).toEqual(["notes/d", "b", "a"]);
    expect(await world.tags("?pre-release=true")).toEqual(["b"]);
    expect(await world.tags("?pre-release=false&draft=false")).toEqual(["notes/d", "a"]);
    expect(await world.tags("?q=notes")).toEqual(["notes/d", "c", "b"]);
    expect(await world.tags("?q=Notes&pre-release=false&draft=false")).toEqual(["notes/d"]);
    expect(await world.tags("?q=FIRST", world.reader)).toEqual(["a"]);
    expect(await world.tags("?q=nothing")).toEqual([]);
    const page = await world.call("GET", "releases?limit=2&page=2");
    expect(page.json.map(({ tag_name }: { tag_name: string }) => tag_name)).toEqual(["b", "a"]);
    expect(page.headers.get("x-total-count")).toBe("4");
    expect(page.headers.get("link")).toContain('rel="first"');
    expect((await world.open("releases")).headers.get("x-total-count")).toBe("3");
  });

  it("403: the unit is switched off or hidden; 404: a private repository for strangers", async () => {
    await world.make({ tag_name: "v1" });
    await world.call("PATCH", "", { has_releases: false });
    expect(await status("GET", "releases", undefined, world.reader)).toBe(403);
    await world.call("PATCH", "", { has_releases: true, private: true });
    expect(await status("GET", "releases", undefined, world.reader)).toBe(404);
    expect((await world.open("releases")).status).toBe(404);
  });
});

describe("repoGetLatestRelease", () => {
  it("200: skips drafts and prereleases; 404: only those (semantics §43.5-5)", async () => {
    await world.make({ tag_name: "p", prerelease: true });
    await world.make({ tag_name: "d", draft: true });
    expect(await status("GET", "releases/latest")).toBe(404);
    const first = await world.make({ tag_name: "v1" });
    expect((await world.call("GET", "releases/latest")).json).toEqual(first);
    const second = await world.make({ tag_name: "v2" });
    expect((await world.open("releases/latest")).json.id).toBe(second.id);
    await world.call("PATCH", `releases/${second.id}`, { prerelease: true });
    expect((await world.open("releases/latest")).json.id).toBe(first.id);
  });
});

describe("repoGetReleaseByTag", () => {
  it("200: raw, encoded and in any case, HEAD too; 404: a bare tag, an unknown one, one that no release can have (D-RAWPATH)", async () => {
    const { id } = await world.make({ tag_name: "rel/1.0-RC" });
    for (const tag of ["rel/1.0-RC", "rel%2F1.0-RC", "REL/1.0-rc"]) {
      expect((await world.open(`releases/tags/${tag}`)).json.id).toBe(id);
    }
    expect(await status("HEAD", "releases/tags/rel/1.0-RC")).toBe(200);
    await world.call("POST", "tags", { tag_name: "bare" });
    for (const tag of ["bare", "none", "x".repeat(2_000), "%ED%A0%80"]) {
      expect((await world.open(`releases/tags/${tag}`)).status, tag).toBe(tag.startsWith("%") ? 400 : 404);
    }
  });
});

describe("repoGetRelease", () => {
  it("200: any reader; 404: unknown, of another repository", async () => {
    const made = await world.make({ tag_name: "v1" });
    expect((await world.call("GET", `releases/${made.id}`)).json).toEqual(made);
    expect((await world.open(`releases/${made.id}`)).status).toBe(200);
    expect(await status("GET", `releases/${made.id + 1}`)).toBe(404);
    expect(await status("GET", "releases/1")).toBe(404);
    await world.begin();
    expect(await status("GET", `releases/${made.id}`)).toBe(404);
  });
});

describe("repoEditRelease", () => {
  it("200: what is given changes; empty texts are texts, unless all are sent (semantics §43.1)", async () => {
    const made = await world.make({ tag_name: "v1", name: "One", body: "Notes" });
    const edit = (body: object) => world.call("PATCH", `releases/${made.id}`, body);
    // All members, as the Go SDK of the family sends them, and so tea and goreleaser.
    const unset = { tag_name: "", target_commitish: "", name: "", body: "", draft: null, prerelease: null };
    expect((await edit(unset)).json).toEqual(made);
    expect((await edit({ ...unset, tag_name: "v1", name: "Two" })).json).toEqual({ ...made, name: "Two" });
    const changed = { name: "", body: "", prerelease: true, hide_archive_links: true };
    expect((await edit(changed)).json).toEqual({ ...made, ...changed });
    expect(await status("PATCH", `releases/${made.id}`, { name: "x" }, world.reader)).toBe(403);
    expect(await status("PATCH", `releases/${made.id}`, { name: "x".repeat(256) })).toBe(422);
    expect(await status("PATCH", `releases/${made.id + 1}`, { name: "x" })).toBe(404);
  });

  it("200: another tag, made when missing; the old one stays; 409: one with a release", async () => {
    const made = await world.make({ tag_name: "v1" });
    const other = await world.make({ tag_name: "v2" });
    const edit = (body: object) => world.call("PATCH", `releases/${made.id}`, body);
    expect((await edit({ tag_name: "v2" })).status).toBe(409);
    expect((await edit({ tag_name: "v3" })).json.tag_name).toBe("v3");
    expect([await world.tagged("v1"), await world.tagged("v3")]).toEqual([world.head, world.head]);
    expect((await world.open("releases/tags/v1")).status).toBe(404);
    expect((await edit({ tag_name: "V3" })).json.tag_name).toBe("V3");
    expect((await world.open("releases/tags/V3")).json.id).toBe(made.id);
    await world.call("DELETE", `releases/${other.id}`);
    expect((await edit({ tag_name: "v2" })).status).toBe(200);
    expect(await world.counter()).toBe(1);
  });
});

describe("repoDeleteRelease", () => {
  it("204: the tag stays, and a release can be made again; 404: the second time (semantics §43.5-4)", async () => {
    const { id } = await world.make({ tag_name: "v1" });
    expect(await status("DELETE", `releases/${id}`, undefined, world.reader)).toBe(403);
    expect(await status("DELETE", `releases/${id}`)).toBe(204);
    expect(await status("DELETE", `releases/${id}`)).toBe(404);
    expect([await world.tagged("v1"), await world.counter(), await world.tags()]).toEqual([
      world.head,
      0,
      [],
    ]);
    expect((await world.make({ tag_name: "v1" })).id).toBeGreaterThan(id);
  });
});

describe("repoDeleteReleaseByTag", () => {
  it("204: in any case; 404: a bare tag; and repoDeleteTag answers 409 while a release is on the tag (semantics §40)", async () => {
    await world.make({ tag_name: "rel/1" });
    expect(await status("DELETE", "tags/rel/1")).toBe(409);
    expect(await status("DELETE", "releases/tags/REL/1")).toBe(204);
    expect(await status("DELETE", "releases/tags/rel/1")).toBe(404);
    expect(await status("DELETE", "tags/rel/1")).toBe(204);
    await world.make({ tag_name: "only", draft: true });
    expect(await status("DELETE", "releases/tags/only")).toBe(204);
  });
});

describe("a release's writers", () => {
  it("make tags without the right to write code", async () => {
    await world.api.call("POST", "/orgs", { as: world.owner, body: { username: `o-${world.name}` } });
    const org = `o-${world.name}`;
    await world.api.call("POST", `/orgs/${org}/repos`, {
      as: world.owner,
      body: { name: "r", auto_init: true },
    });
    const team = { name: "releasers", units_map: { "repo.releases": "write", "repo.code": "read" } };
    const { json } = await world.api.call("POST", `/orgs/${org}/teams`, { as: world.owner, body: team });
    const member = `/teams/${json.id}/members/${world.reader.name}`;
    await world.api.call("PUT", member, { as: world.owner });
    await world.api.call("PUT", `/teams/${json.id}/repos/${org}/r`, { as: world.owner });
    const made = await world.api.call("POST", `/repos/${org}/r/releases`, {
      as: world.reader,
      body: { tag_name: "v1" },
    });
    expect(made.status, made.text).toBe(201);
    const code = await world.api.call("POST", `/repos/${org}/r/tags`, {
      as: world.reader,
      body: { tag_name: "v2" },
    });
    expect(code.status).toBe(403);
  });
});
