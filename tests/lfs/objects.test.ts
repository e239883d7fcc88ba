import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { basic } from "#tests/support/api";
import { type LfsWorld, lfsType, named, startLfs } from "./world.ts";

let world: LfsWorld;
beforeAll(async () => {
  world = await startLfs();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const absent = named("never uploaded");

describe("an upload and a download (semantics §55.3, §55.4)", () => {
  it("brings an object in, which is there from then on", async () => {
    const object = named("large content");
    const asked = await world.batch("upload", [object]);
    expect([asked.status, asked.headers.get("content-type")]).toEqual([200, lfsType]);
    expect(asked.headers.get("cache-control")).toBe("no-store");
    expect(asked.json).toMatchObject({ transfer: "basic", hash_algo: "sha256" });
    const [{ actions, ...told }] = asked.json.objects;
    expect(told).toEqual({ ...object, authenticated: true });
    expect(actions.upload.href).toMatch(
      new RegExp(`/alice/${world.name}\\.git/info/lfs/objects/${object.oid}/${object.size}$`),
    );
    expect(actions.verify.header.Accept).toBe(lfsType);
    expect((await world.act(actions.verify, "POST", { body: object })).status).toBe(404);
    expect((await world.act(actions.upload, "PUT", { raw: "large content" })).status).toBe(200);
    expect((await world.act(actions.verify, "POST", { body: object })).status).toBe(200);
    expect(await world.one("upload", object)).toEqual(object);
    const { actions: then } = await world.one("download", object);
    const got = await world.act(then.download, "GET");
    expect([got.status, got.text]).toEqual([200, "large content"]);
    expect(got.headers.get("content-type")).toBe("application/octet-stream");
    expect(await world.objects()).toEqual([object.oid]);
  });

  it("works with the caller's own credentials, too, and again", async () => {
    const { oid, size } = named("mine");
    for (const _time of [1, 2]) {
      const put = await world.ask("PUT", `objects/${oid}/${size}`, { as: world.alice, raw: "mine" });
      expect(put.status, put.text).toBe(200);
    }
    const { name, password } = world.alice;
    const headers = basic(name, password);
    expect((await world.ask("GET", `objects/${oid}`, { headers })).text).toBe("mine");
    expect((await world.ask("POST", "verify", { headers, body: { oid, size } })).status).toBe(200);
  });

  it("takes an empty object", async () => {
    const empty = await world.upload("");
    const { actions } = await world.one("download", empty);
    expect((await world.act(actions.download, "GET")).text).toBe("");
  });

  it("206, 416: a range, with the whole size; the name of the path is the file's", async () => {
    const { oid } = await world.upload("0123456789");
    const ask = (range: string, path = "") =>
      world.ask("GET", `objects/${oid}${path}`, { as: world.alice, headers: { range } });
    const middle = await ask("bytes=2-5");
    expect([middle.status, middle.text, middle.headers.get("content-range")]).toEqual([
      206,
      "2345",
      "bytes 2-5/10",
    ]);
    expect((await ask("bytes=7-")).text).toBe("789");
    expect((await ask("bytes=10-")).status).toBe(416);
    const called = await ask("", `/${Buffer.from("größe.bin").toString("base64url")}`);
    expect(called.headers.get("content-disposition")).toMatch(/^attachment; .*gr%C3%B6%C3%9Fe\.bin/);
  });

  it.each([
    ["another content of this size", "content B"],
    ["a shorter one", "content"],
    ["a longer one", "content AB"],
    ["none", ""],
  ])("422: %s; nothing of it stays", async (_what, raw) => {
    const object = named("content A");
    const { actions } = await world.one("upload", object);
    const before = await world.files();
    const put = await world.act(actions.upload, "PUT", { raw });
    expect([put.status, typeof put.json.message]).toEqual([422, "string"]);
    expect((await world.act(actions.verify, "POST", { body: object })).status).toBe(404);
    expect((await world.one("download", object)).error.code).toBe(404);
    expect(await world.files()).toEqual(before);
  });

  it("422: a size that lies about an object that is there; 404 when verified", async () => {
    const { oid, size } = await world.upload("honest");
    const lie = { oid, size: size + 1 };
    expect((await world.one("upload", lie)).error.code).toBe(422);
    expect((await world.one("download", lie)).error.code).toBe(422);
    expect((await world.ask("POST", "verify", { as: world.alice, body: lie })).status).toBe(404);
  });
});

describe("bad input", () => {
  it("of one object is its own error, in the order of the batch", async () => {
    const good = await world.upload("good");
    const odd = [
      { oid: "xyz", size: 1 },
      { oid: "A".repeat(64), size: 1 },
      { oid: absent.oid, size: -1 },
      { oid: absent.oid, size: 1.5 },
      { oid: absent.oid, size: 1e300 },
      { oid: absent.oid, size: 2 ** 53 },
      { oid: `${absent.oid}\n`, size: 1 },
    ];
    for (const operation of ["upload", "download"]) {
      const { json } = await world.batch(operation, [...odd, good, good]);
      const codes = json.objects.map(({ error }: { error?: { code: number } }) => error?.code);
      expect(codes).toEqual([422, 422, 422, 422, 422, 422, 422, undefined, undefined]);
      expect(json.objects.map(({ oid }: { oid: string }) => oid).slice(-2)).toEqual([good.oid, good.oid]);
    }
  });

  it("names an object twice, and of two sizes: the true one comes", async () => {
    const object = named("twice");
    const other = { ...object, size: 4 };
    const { json } = await world.batch("upload", [object, object, other]);
    const [one, same, lie] = json.objects;
    expect(one.actions.upload.href).toBe(same.actions.upload.href);
    expect((await world.act(lie.actions.upload, "PUT", { raw: "twic" })).status).toBe(422);
    expect((await world.act(one.actions.upload, "PUT", { raw: "twice" })).status).toBe(200);
    expect((await world.act(same.actions.upload, "PUT", { raw: "twice" })).status).toBe(200);
    expect((await world.act(lie.actions.verify, "POST", { body: other })).status).toBe(404);
  });

  it.each([
    ["broken JSON", 400, "{"],
    ["no JSON", 400, "operation=upload"],
    ["another operation", 400, JSON.stringify({ operation: "x", objects: [] })],
    ["no operation", 400, JSON.stringify({ objects: [] })],
    ["no objects", 422, JSON.stringify({ operation: "download" })],
    ["objects of another shape", 422, JSON.stringify({ operation: "download", objects: [{ oid: 1 }] })],
    ["another hash", 409, JSON.stringify({ operation: "download", hash_algo: "sha512", objects: [] })],
  ])("%s: %i", async (_what, status, raw) => {
    const answer = await world.ask("POST", "objects/batch", { as: world.alice, raw });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, lfsType]);
    expect(answer.json.message).toMatch(/\w/);
  });

  it("200: transfers without basic, and a ref, mean nothing", async () => {
    const body = { operation: "download", transfers: ["tus"], ref: { name: "refs/heads/x" }, objects: [] };
    const { status, json } = await world.ask("POST", "objects/batch", { as: world.alice, body });
    expect([status, json.transfer, json.objects]).toEqual([200, "basic", []]);
  });

  it("413: more objects than a batch may name", async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ oid: at.toString(16).padStart(64, "0"), size: 1 }));
    const most = await world.batch("download", many(1_000));
    expect([most.status, most.json.objects.length]).toEqual([200, 1_000]);
    for (const count of [1_001, 10_000]) {
      const answer = await world.batch("download", many(count));
      expect([answer.status, answer.json.message]).toEqual([413, expect.stringMatching(/at most/)]);
    }
  });

  it("415: a client that expects another kind of answer, of operations in JSON alone", async () => {
    const json = { as: world.alice, headers: { accept: "application/json" } };
    const body = { operation: "download", objects: [] };
    expect((await world.ask("POST", "objects/batch", { ...json, body })).status).toBe(415);
    expect((await world.ask("GET", "locks", json)).status).toBe(415);
    const { oid } = await world.upload("any");
    expect((await world.ask("GET", `objects/${oid}`, json)).status).toBe(200);
  });

  it("422, 404: a path that names no object; 404: no such path", async () => {
    const as = world.alice;
    expect((await world.ask("PUT", "objects/xyz/1", { as, raw: "x" })).status).toBe(422);
    expect((await world.ask("PUT", `objects/${absent.oid}/-1`, { as, raw: "x" })).status).toBe(422);
    expect((await world.ask("PUT", `objects/${absent.oid}/1e3`, { as, raw: "x" })).status).toBe(422);
    expect((await world.ask("GET", "objects/xyz", { as })).status).toBe(404);
    expect((await world.ask("GET", `objects/${absent.oid}`, { as })).status).toBe(404);
    expect((await world.ask("DELETE", `objects/${absent.oid}`, { as })).status).toBe(404);
    expect((await world.ask("GET", "other", { as })).status).toBe(404);
  });
});
