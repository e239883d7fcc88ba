import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweepPackageObjects } from "#core/package/contents";
import { sweepLeftPackageFiles } from "#core/package/left-files";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { askRegistry } from "./registry.ts";

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

const put = (path: string, body: string | Uint8Array = "abc", as = alice) =>
  ask("PUT", `/alice/generic/${path}`, { as, body });
const get = (path: string, options = {}) => ask("GET", `/alice/generic/${path}`, options);
const remove = (path: string, as = alice) => ask("DELETE", `/alice/generic/${path}`, { as });
const objects = async () => {
  const keys: string[] = [];
  for await (const { key } of api.forge.blobs.list("packages/")) keys.push(key);
  return keys.length;
};

describe("uploadGenericPackageFile", () => {
  it("201: the bytes come back; once more 409; another file 201 (semantics §57)", async () => {
    expect(await put("tool/1.0/a.bin")).toMatchObject({ status: 201, text: "" });
    const { status, text, headers } = await get("tool/1.0/a.bin");
    expect([status, text]).toEqual([200, "abc"]);
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="a\.bin"/);
    expect(headers.get("last-modified")).toMatch(/GMT$/);
    expect(headers.get("etag")).toBe(`"${createHash("sha256").update("abc").digest("hex")}"`);
    expect((await put("tool/1.0/a.bin", "other")).status).toBe(409);
    expect((await put("Tool/1.0/A.bin", "other")).status).toBe(409);
    expect((await put("tool/1.0/b.bin")).status).toBe(201);
    expect((await get("TOOL/1.0/B.BIN")).text).toBe("abc");
  });

  it.each([
    ["bad%20name/1/a", "name"],
    ["./1/a", "name"],
    ["-/1/a", "name"],
    ["tool/%201/a", "version"],
    ["tool/1%0a2/a", "version"],
    [`tool/${"v".repeat(256)}/a`, "version"],
    ["tool/1/a%7Cb", "file"],
    ["tool/1/%20a", "file"],
    ["tool/1/..%2F..%2Fetc", "file"],
    ["tool/1/a%5Cb", "file"],
  ])("400: %s", async (path, what) => {
    const answer = await put(path);
    // A path of dots is none to any client: the address is made shorter before it is sent.
    expect([400, 404, 405]).toContain(answer.status);
    if (answer.status === 400) expect(answer.text).toContain(what);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  it("201: a form with a part named file; 400 without one", async () => {
    const send = (name: string) => {
      const boundary = "x-boundary";
      const body = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="f"\r\n\r\nform\r\n--${boundary}--\r\n`;
      const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
      return ask("PUT", "/alice/generic/tool/form/f.bin", { as: alice, body, headers });
    };
    expect((await send("other")).status).toBe(400);
    expect((await send("file")).status).toBe(201);
    expect((await get("tool/form/f.bin")).text).toBe("form");
  });

  it("401 with a challenge without a login, for a stranger, and for a token that only reads (D-CHALLENGE)", async () => {
    const anonymous = await ask("PUT", "/alice/generic/tool/2/a", { body: "x" });
    expect([anonymous.status, anonymous.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="Coldforge", charset="UTF-8"',
    ]);
    expect((await put("tool/2/a", "x", bob)).status).toBe(401);
    const token = await api.makeToken(alice, ["read:package"]);
    expect((await put("tool/2/a", "x", { ...alice, token })).status).toBe(401);
    const headers = basic("alice", alice.password);
    expect((await ask("PUT", "/alice/generic/tool/2/a", { body: "x", headers })).status).toBe(201);
  });

  it("413: a file past the bound; 403 past the installation's, but for administrators (semantics §57)", async () => {
    const admin = await api.makeUser({ isAdmin: true });
    const limited = (config: object) =>
      askRegistry({ ...api, forge: { ...api.forge, config: { ...api.forge.config, ...config } } });
    const send = (config: object, as: Caller, body = "1234") =>
      limited(config)("PUT", `/alice/generic/tool/3/${Math.random()}`, { as, body });
    expect((await send({ packageMaxSizeMib: 1 / 2 ** 20 }, alice)).status).toBe(413);
    for (const config of [{ limitSizeGeneric: 3 }, { limitTotalOwnerCount: 1 }, { limitTotalOwnerSize: 5 }]) {
      expect([config, (await send(config, alice)).status]).toEqual([config, 403]);
      expect([config, (await send(config, admin)).status]).toEqual([config, 201]);
    }
  });

  it("201 and 409: of two uploads of one file at once one wins, and the data stays whole", async () => {
    const sent = await Promise.all(Array.from({ length: 6 }, (_, at) => put("race/1/a.bin", `${at}`)));
    expect(sent.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    const names = Array.from({ length: 6 }, (_, at) => `race/2/${at}.bin`);
    const others = await Promise.all(names.map((name) => put(name, "same")));
    expect(others.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect(await findingsOf(api)).toEqual([]);
  });
});

describe("downloadGenericPackageFile", () => {
  it("206, 304, 416 and HEAD: ranges and known contents; a download is counted once", async () => {
    await put("file/1/a.bin", "0123456789");
    const part = await get("file/1/a.bin", { headers: { range: "bytes=2-4" } });
    expect([part.status, part.text, part.headers.get("content-range")]).toEqual([206, "234", "bytes 2-4/10"]);
    const { headers } = await get("file/1/a.bin");
    const known = { "if-none-match": headers.get("etag") ?? "" };
    expect((await get("file/1/a.bin", { headers: known })).status).toBe(304);
    expect((await get("file/1/a.bin", { headers: { range: "bytes=10-" } })).status).toBe(416);
    const head = await ask("HEAD", "/alice/generic/file/1/a.bin");
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", "10"]);
  });

  it.each(["none/1/a", "file/none/a", "file/1/none", `file/${"x".repeat(300)}/a`])(
    "404: %s",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it("404 for an owner that is not there; 401 to nobody, who may not know (D-HIDDEN)", async () => {
    expect((await ask("GET", "/nobody-here/generic/a/1/a", { as: alice })).status).toBe(404);
    expect((await ask("GET", "/nobody-here/generic/a/1/a")).status).toBe(401);
  });
});

describe("deleteGenericPackageFile", () => {
  it("204: with the last file goes the version, with it the package (semantics §57)", async () => {
    await put("gone/1/a", "a");
    await put("gone/1/b", "b");
    expect((await remove("gone/1/a", bob)).status).toBe(401);
    expect((await remove("gone/1/a")).status).toBe(204);
    expect((await remove("gone/1/a")).status).toBe(404);
    expect((await get("gone/1/b")).status).toBe(200);
    expect((await remove("gone/1/b")).status).toBe(204);
    expect((await get("gone/1/b")).status).toBe(404);
    const listed = await api.call("GET", "/packages/alice?q=gone");
    expect([listed.status, listed.json]).toEqual([200, []]);
  });
});

describe("deleteGenericPackageVersion", () => {
  it("204: equal bytes stay as long as any file has them, and go an hour after the last", async () => {
    const tidy = async () => {
      await sweepLeftPackageFiles(api.forge);
      api.clock.advance(3_600_001);
      await sweepPackageObjects(api.forge);
    };
    await tidy();
    await put("one/1/a", "shared bytes");
    const before = await objects();
    await put("two/1/a", "shared bytes");
    await put("two/1/b", "shared bytes");
    expect(await objects()).toBe(before);
    expect((await remove("two/1")).status).toBe(204);
    expect((await remove("two/1")).status).toBe(404);
    await tidy();
    expect((await get("one/1/a")).text).toBe("shared bytes");
    await remove("one/1");
    await put("one/1/a", "shared bytes");
    await tidy();
    expect((await get("one/1/a")).text).toBe("shared bytes");
    await remove("one/1");
    await tidy();
    expect(await objects()).toBe(before - 1);
    // No worker takes this forge's events.
    expect((await findingsOf(api)).filter(({ invariant }) => invariant !== 20)).toEqual([]);
  });
});

describe("a removal beside others", () => {
  it("leaves a publication whole or undone, and a download to its end or 404", async () => {
    const versions = ["1", "2", "3", "4", "5"];
    for (const version of versions) await put(`beside/${version}/a`, `bytes of ${version}`);
    const outcomes = await Promise.all(
      versions.flatMap((version) => [
        remove(`beside/${version}`),
        put(`beside/${version}/b`, `more of ${version}`),
        get(`beside/${version}/a`),
      ]),
    );
    for (const [at, { status, text }] of outcomes.entries()) {
      const version = versions[Math.floor(at / 3)];
      expect([at, [[204], [201], [200, 404]][at % 3]?.includes(status)]).toEqual([at, true]);
      if (at % 3 === 2 && status === 200) expect(text).toBe(`bytes of ${version}`);
    }
    expect((await findingsOf(api)).filter(({ invariant }) => invariant !== 20)).toEqual([]);
  });
});

describe("rights on packages (semantics §59.1)", () => {
  it("a limited owner's are for who is signed in, a private one's for nobody else", async () => {
    const limited = await api.makeUser({ visibility: "limited" });
    const hidden = await api.makeUser({ visibility: "private" });
    for (const owner of [limited, hidden]) {
      const path = `/${owner.name}/generic/p/1/a`;
      expect((await ask("PUT", path, { as: owner, body: "x" })).status).toBe(201);
      expect((await ask("GET", path)).status).toBe(401);
      expect((await ask("GET", path, { as: owner })).status).toBe(200);
      const isHidden = owner === hidden;
      expect((await ask("GET", path, { as: bob })).status).toBe(isHidden ? 404 : 200);
      const token = await api.makeToken(owner, ["public-only", "write:package"]);
      expect((await ask("GET", path, { as: { ...owner, token } })).status).toBe(403);
    }
  });

  it("a team's mode on packages counts in an organization", async () => {
    await api.call("POST", "/orgs", { as: alice, body: { username: "guild", visibility: "private" } });
    const member = await api.makeUser();
    const path = (name: string) => `/guild/generic/p/1/${name}`;
    expect((await ask("PUT", path("a"), { as: alice, body: "x" })).status).toBe(201);
    expect((await ask("GET", path("a"), { as: member })).status).toBe(404);
    const joins = async (permission: string) => {
      const body = { name: `t-${permission}`, units_map: { "repo.packages": permission } };
      const { json } = await api.call("POST", "/orgs/guild/teams", { as: alice, body });
      await api.call("PUT", `/teams/${json.id}/members/${member.name}`, { as: alice });
    };
    await joins("read");
    expect((await ask("GET", path("a"), { as: member })).status).toBe(200);
    expect((await ask("PUT", path("b"), { as: member, body: "x" })).status).toBe(401);
    await joins("write");
    expect((await ask("PUT", path("b"), { as: member, body: "x" })).status).toBe(201);
  });

  it("401 where the instance answers signed-in callers only (D-CHALLENGE)", async () => {
    const config = { ...api.forge.config, requireSigninView: true };
    const closed = askRegistry({ ...api, forge: { ...api.forge, config } });
    const answer = await closed("GET", "/alice/generic/file/1/a.bin");
    expect([answer.status, answer.headers.has("www-authenticate")]).toEqual([401, true]);
    expect((await closed("GET", "/alice/generic/file/1/a.bin", { as: bob })).status).toBe(200);
  });
});
