import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tick } from "#functions/workers/tick";
import { sendFile, sendForm } from "#tests/api/attachment/make";
import { basic } from "#tests/support/api";
import { type ReleaseWorld, startReleases } from "./world.ts";

let world: ReleaseWorld;
let release = 0;
beforeAll(async () => {
  world = await startReleases({
    RELEASE_ALLOWED_TYPES: "text/plain,.bin,.json,.zip,application/octet-stream",
  });
});
beforeEach(async () => {
  await world.begin();
  release = (await world.make({ tag_name: "rel/1" })).id;
});
afterAll(() => world.api.stop());

const html = () => `http://127.0.0.1:3000/olga/${world.name}`;
const post = (query: string, raw: string, type: string, as = world.owner) =>
  world.api.call("POST", `${world.assets(release)}${query}`, { as, raw, headers: { "content-type": type } });
const postForm = (fields: Record<string, string>, query = "") => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return sendForm(world.api, `${world.assets(release)}${query}`, world.owner, form);
};
const shown = async () => (await world.call("GET", `releases/${release}`)).json.assets;
const asset = (id: number) => `releases/${release}/assets/${id}`;

describe("repoCreateReleaseAttachment", () => {
  it("201: a form, with the name of the part, the form or the query; downloads are counted (semantics §44.3-1)", async () => {
    await world.letWrite();
    const made = await world.upload(release, { name: "a.txt", bytes: "hello" });
    expect(made).toMatchObject({ name: "a.txt", size: 5, download_count: 0, type: "attachment" });
    expect(made.browser_download_url).toBe(`http://127.0.0.1:3000/attachments/${made.uuid}`);
    expect((await world.upload(release, { fields: { name: "f.txt" } })).name).toBe("f.txt");
    const byQuery = await sendFile(world.api, `${world.assets(release)}?name=q.txt`, world.writer, {
      fields: { name: "f.txt" },
    });
    expect(byQuery.json.name).toBe("q.txt");
    const url = `${html()}/releases/download/rel/1/a.txt`;
    for (const address of [url, made.browser_download_url, `${html()}/releases/download/rel%2F1/a.txt`]) {
      expect((await world.ask(address)).text).toBe("hello");
    }
    const [first] = await shown();
    expect(first).toMatchObject({ id: made.id, download_count: 3, browser_download_url: url });
    expect(await world.usage()).toEqual([3, 15]);
  });

  it("201: the bytes themselves with a name, JSON and nothing too; 400: no name (semantics §44.3-2)", async () => {
    const octets = "application/octet-stream";
    expect((await post("?name=x.bin", "raw", octets)).json).toMatchObject({ name: "x.bin", size: 3 });
    expect((await post("?name=x.json", "{}", "application/json")).json).toMatchObject({ size: 2 });
    expect((await post("?name=none.bin", "", octets)).json).toMatchObject({ size: 0 });
    expect((await post("?name=none.bin", "again", octets)).status).toBe(201);
    expect((await post("", "raw", octets)).status).toBe(400);
    const names = (await shown()).map(({ name }: { name: string }) => name);
    expect(names).toEqual(["x.bin", "x.json", "none.bin", "none.bin"]);
    expect((await world.ask(`${html()}/releases/download/rel/1/none.bin`)).text).toBe("");
  });

  it("201: an address elsewhere, by a form or an empty body; 400: none of the web, or beside a file (semantics §44.3-3)", async () => {
    const external_url = "https://x.test/files/a.zip?b=c";
    const made = (await postForm({ external_url })).json;
    expect(made).toMatchObject({
      name: "a.zip",
      size: 0,
      type: "external",
      browser_download_url: external_url,
    });
    const query = `?external_url=${encodeURIComponent("https://host.test/")}`;
    expect((await post(query, "", "text/plain")).json.name).toBe("host.test");
    expect((await postForm({ external_url, name: "n.zip" })).json.name).toBe("n.zip");
    for (const bad of [
      "ftp://x.test/a",
      "nothing",
      "javascript:alert(1)",
      `https://x.test/${"a".repeat(2048)}`,
    ]) {
      expect((await postForm({ external_url: bad })).status, bad).toBe(400);
    }
    const both = await sendFile(world.api, world.assets(release), world.owner, { fields: { external_url } });
    expect([both.status, (await post(query, "bytes", "text/plain")).status]).toEqual([400, 400]);
    expect((await postForm({ name: "neither" })).status).toBe(400);
    const found = await world.ask(`http://127.0.0.1:3000/attachments/${made.uuid}`);
    expect([found.status, found.headers.get("location")]).toEqual([302, external_url]);
    expect((await shown())[0]).toMatchObject({ download_count: 0, browser_download_url: external_url });
    expect(await world.usage()).toEqual([3, 0]);
  });

  it("400: a kind of file that is not allowed; 422: no file name; 413: too large; 404: no release; 403: a reader", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const refused = await sendFile(world.api, world.assets(release), world.owner, {
      name: "a.png",
      bytes: png,
    });
    expect(refused.status).toBe(400);
    expect((await post("?name=..%2Fa.bin", "x", "text/plain")).status).toBe(422);
    expect((await post("?name=a.bin", "x".repeat(2 ** 20 + 1), "text/plain")).status).toBe(413);
    expect((await post("?name=a.bin", "x", "text/plain", world.reader)).status).toBe(403);
    release += 1;
    expect((await post("?name=a.bin", "x", "text/plain")).status).toBe(404);
    expect(await world.usage()).toEqual([0, 0]);
  });

  it("202 and 201: a file that is larger than a request may be goes in two steps (D-BIGBODY)", async () => {
    const announce = (body: object) => world.call("POST", `releases/${release}/assets`, body);
    const { status, json } = await announce({ name: "big.bin", size: 5 });
    expect(status).toBe(202);
    expect((await announce({ uuid: json.uuid })).status).toBe(409);
    expect((await world.ask(json.upload_url, { method: "PUT", body: "bytes" })).status).toBe(204);
    expect((await announce({ uuid: json.uuid })).json).toMatchObject({ name: "big.bin", size: 5 });
    expect((await announce({ uuid: json.uuid })).status).toBe(404);
    expect((await world.ask(`${html()}/releases/download/rel/1/big.bin`)).text).toBe("bytes");
    const other = (await world.make({ tag_name: "v2" })).id;
    const open = (await announce({ name: "big.bin", size: 5 })).json;
    const elsewhere = await world.call("POST", `releases/${other}/assets`, { uuid: open.uuid });
    expect(elsewhere.status).toBe(404);
  });
});

describe("repoGetReleaseAttachment, repoListReleaseAttachments, repoEditReleaseAttachment, repoDeleteReleaseAttachment", () => {
  it("repoEditReleaseAttachment 201: another name, another address of one elsewhere; 400: of a file here (semantics §44.3-4)", async () => {
    const made = await world.upload(release, { name: "a.txt" });
    const outside = (await postForm({ external_url: "https://x.test/a.zip" })).json;
    const edit = (id: number, body: object, as = world.owner) => world.call("PATCH", asset(id), body, as);
    expect((await edit(made.id, { name: "b.txt" })).json).toEqual({ ...made, name: "b.txt" });
    expect((await edit(made.id, { name: "" })).json.name).toBe("b.txt");
    const browser_download_url = "http://y.test/b.zip";
    expect((await edit(made.id, { browser_download_url })).status).toBe(400);
    expect((await edit(outside.id, { browser_download_url: "ftp://y" })).status).toBe(400);
    expect((await edit(outside.id, { browser_download_url })).json).toEqual({
      ...outside,
      browser_download_url,
    });
    expect((await edit(made.id, { name: "a/b" })).status).toBe(422);
    expect((await edit(made.id, { name: "c.txt" }, world.reader)).status).toBe(403);
    expect((await edit(made.id + 99, { name: "c.txt" })).status).toBe(404);
    expect((await world.ask(`${html()}/releases/download/rel/1/b.txt`)).text).toBe("hello");
  });

  it("repoListReleaseAttachments 200: all, unless a page is asked for; repoGetReleaseAttachment 404: of another release", async () => {
    for (const name of ["a.txt", "b.txt", "c.txt"]) await world.upload(release, { name });
    const list = (query = "") => world.call("GET", `releases/${release}/assets${query}`);
    const all = await list();
    expect(all.json.map(({ name }: { name: string }) => name)).toEqual(["a.txt", "b.txt", "c.txt"]);
    expect([all.headers.get("x-total-count"), all.headers.get("link")]).toEqual(["3", null]);
    expect((await list("?limit=1&page=2")).json[0].name).toBe("b.txt");
    const { id, browser_download_url } = all.json[0];
    expect((await world.open(asset(id))).json).toEqual({
      ...all.json[0],
      browser_download_url: expect.stringContaining("/attachments/"),
    });
    expect(browser_download_url).toBe(`${html()}/releases/download/rel/1/a.txt`);
    release = (await world.make({ tag_name: "v2" })).id;
    expect((await world.open(asset(id))).status).toBe(404);
    expect((await world.call("GET", "releases/5/assets")).status).toBe(404);
  });

  it("repoDeleteReleaseAttachment 204: gone for readers and sums at once, its file an hour later; 404: the second time", async () => {
    const made = await world.upload(release);
    expect((await world.call("DELETE", asset(made.id), undefined, world.reader)).status).toBe(403);
    expect((await world.call("DELETE", asset(made.id))).status).toBe(204);
    expect((await world.call("DELETE", asset(made.id))).status).toBe(404);
    expect((await world.ask(made.browser_download_url)).status).toBe(404);
    expect([await world.usage(), await world.left()]).toEqual([
      [0, 0],
      [0, 1],
    ]);
    world.api.clock.advance(25 * 3_600_000);
    await tick(world.api.forge);
    expect(await world.left()).toEqual([0, 0]);
  });

  it("go with their release: hidden and uncounted at once, removed by the tick", async () => {
    const made = await world.upload(release);
    await postForm({ external_url: "https://x.test/a.zip" });
    await world.call("DELETE", `releases/${release}`);
    expect((await world.ask(made.browser_download_url)).status).toBe(404);
    expect([await world.usage(), await world.left()]).toEqual([
      [0, 0],
      [2, 1],
    ]);
    await tick(world.api.forge);
    expect([await world.usage(), await world.left()]).toEqual([
      [0, 0],
      [0, 1],
    ]);
    world.api.clock.advance(25 * 3_600_000);
    await tick(world.api.forge);
    expect(await world.left()).toEqual([0, 0]);
  });
});

describe("downloadReleaseAsset", () => {
  it("200, 206, 304, 416: whole, a range, unchanged, past the end; HEAD counts nothing (semantics §44.2)", async () => {
    const made = await world.upload(release, { name: "a b%.txt", bytes: "0123456789" });
    const [{ browser_download_url: url }] = await shown();
    expect(url).toBe(`${html()}/releases/download/rel/1/a%20b%25.txt`);
    const whole = await world.ask(url);
    expect(whole.headers.get("etag")).toBe(`"${made.uuid}"`);
    expect(whole.headers.get("content-disposition")).toContain("inline; filename=");
    const part = await world.ask(url, { headers: { range: "bytes=2-4" } });
    expect([part.status, part.text, part.headers.get("content-range")]).toEqual([206, "234", "bytes 2-4/10"]);
    const etag = whole.headers.get("etag") ?? "";
    expect((await world.ask(url, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await world.ask(url, { headers: { range: "bytes=10-" } })).status).toBe(416);
    const head = await world.ask(url, { method: "HEAD" });
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", "10"]);
    expect((await shown())[0].download_count).toBe(1);
  });

  it("200: latest is the latest release, unless a release has that tag; 404: another name", async () => {
    await world.upload(release, { name: "a.txt", bytes: "latest" });
    const url = `${html()}/releases/download/latest/a.txt`;
    expect((await world.ask(url)).text).toBe("latest");
    const { id } = await world.make({ tag_name: "latest", prerelease: true });
    expect((await world.ask(url)).status).toBe(404);
    await world.upload(id, { name: "a.txt", bytes: "of the tag" });
    expect((await world.ask(url)).text).toBe("of the tag");
    expect((await world.ask(`${html()}/releases/download/none/a.txt`)).status).toBe(404);
  });

  it("404: strangers of a private repository; a token or password, and its scope (semantics §44.3-6)", async () => {
    const made = await world.upload(release, { name: "a.txt" });
    const [{ browser_download_url: url }] = await shown();
    await world.call("PATCH", "", { private: true });
    const addresses = [url, made.browser_download_url];
    const headers = basic("olga", world.owner.token);
    const issues = { authorization: `token ${await world.api.makeToken(world.owner, ["read:issue"])}` };
    for (const address of addresses) {
      expect((await world.ask(address)).status).toBe(404);
      expect((await world.ask(address, { as: world.reader })).status).toBe(404);
      expect((await world.ask(address, { headers })).text).toBe("hello");
      expect((await world.ask(address, { headers: issues })).status).toBe(403);
    }
    await world.call("PATCH", "", { private: false, has_releases: false });
    const answers = await Promise.all(addresses.map((address) => world.ask(address, { as: world.reader })));
    expect(answers.map(({ status }) => status)).toEqual([403, 404]);
  });

  it("404: the assets of a draft, for everyone but writers", async () => {
    await world.letWrite();
    const draft = await world.make({ tag_name: "v2", draft: true });
    const made = await world.upload(draft.id, { name: "a.txt" });
    for (const url of [made.browser_download_url, `${html()}/releases/download/v2/a.txt`]) {
      expect((await world.ask(url, { as: world.reader })).status).toBe(404);
      expect((await world.ask(url, { as: world.writer })).text).toBe("hello");
    }
  });
});

describe("archive_download_count", () => {
  it("counts archives of the tag, at its release and the tag (semantics §37.3-5)", async () => {
    const count = async (path: string) => (await world.call("GET", path)).json.archive_download_count;
    for (const name of [
      "archive/rel/1.zip",
      "archive/rel/1.tar.gz",
      "archive/rel/1.zip",
      "archive/main.zip",
    ]) {
      expect((await world.ask(`${html()}/${name}`)).status).toBe(200);
    }
    await world.ask(`${html()}/archive/rel/1.zip`, { method: "HEAD" });
    const counted = { zip: 2, tar_gz: 1 };
    expect(await count(`releases/${release}`)).toEqual(counted);
    expect(await count("tags/rel/1")).toEqual(counted);
    expect((await world.call("GET", "tags")).json[0].archive_download_count).toEqual(counted);
  });
});

describe("ATTACHMENT_ENABLED=false (semantics §44.1)", () => {
  it("404: every operation on assets, and their addresses; the release is there", async () => {
    const off = await startReleases({ ATTACHMENT_ENABLED: "false" });
    await off.begin();
    const { id } = await off.make({ tag_name: "v1" });
    expect((await sendFile(off.api, off.assets(id), off.owner)).status).toBe(404);
    for (const [method, path, body] of [
      ["GET", "assets", undefined],
      ["GET", "assets/1", undefined],
      ["PATCH", "assets/1", { name: "b.txt" }],
      ["DELETE", "assets/1", undefined],
    ] as const) {
      expect((await off.call(method, `releases/${id}/${path}`, body)).status, `${method} ${path}`).toBe(404);
    }
    expect((await off.ask(`http://127.0.0.1:3000/olga/${off.name}/releases/download/v1/a.txt`)).status).toBe(
      404,
    );
    expect((await off.call("GET", `releases/${id}`)).json.assets).toEqual([]);
    await off.api.stop();
  });
});
