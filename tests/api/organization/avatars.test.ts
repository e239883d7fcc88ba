import { crc32, inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller, TestApi } from "#tests/support/api";
import { makeOrganization, startOrganizations } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  ({ api, alice, bob } = await startOrganizations());
});
afterAll(() => api.stop());

const picture = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(40, 1)]);

describe("orgUpdateAvatar", () => {
  const set = (as: Caller | undefined, image: string) =>
    api.call("POST", "/orgs/acme/avatar", { as, body: { image } });

  it("204: the picture is served under the address that the organization then shows", async () => {
    const before = (await api.call("GET", "/orgs/acme")).json.avatar_url;
    expect((await set(alice, picture.toString("base64"))).status).toBe(204);
    const after = (await api.call("GET", "/orgs/acme")).json.avatar_url;
    expect(after).not.toBe(before);
    const answer = await api.app.request(new URL(after).pathname);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture);
  });

  it.each([
    [400, "no base64", "***"],
    [422, "nothing", ""],
    [422, "a drawing that browsers run", Buffer.from("<svg onload='x()'/>").toString("base64")],
    [422, "over 1 MiB", Buffer.concat([picture, Buffer.alloc(1024 * 1024)]).toString("base64")],
  ])("%i: %s", async (expected, _what, image) => {
    expect((await set(alice, image)).status).toBe(expected);
  });

  it("401, 403", async () => {
    expect((await set(undefined, picture.toString("base64"))).status).toBe(401);
    expect((await set(bob, picture.toString("base64"))).status).toBe(403);
  });
});

describe("orgDeleteAvatar", () => {
  it("204: back to what it was; 403 for others", async () => {
    const fresh = await makeOrganization(api, alice, "faces");
    await api.call("POST", "/orgs/faces/avatar", { as: alice, body: { image: picture.toString("base64") } });
    expect((await api.call("DELETE", "/orgs/faces/avatar", { as: bob })).status).toBe(403);
    expect((await api.call("DELETE", "/orgs/faces/avatar", { as: alice })).status).toBe(204);
    expect((await api.call("GET", "/orgs/faces")).json.avatar_url).toBe(fresh.avatar_url);
  });

  it("200: an owner without a picture has an address of 32 digits, as the family's", async () => {
    await makeOrganization(api, alice, "faceless");
    const address = expect.stringMatching(/\/avatars\/[0-9a-f]{32}$/);
    expect((await api.call("GET", "/orgs/faceless")).json.avatar_url).toEqual(address);
    expect((await api.call("GET", "/users/bob")).json.avatar_url).toEqual(address);
  });

  it("200: a picture is drawn there, of each owner another one", async () => {
    const drawn = async (path: string) => {
      const { pathname } = new URL((await api.call("GET", path)).json.avatar_url);
      const response = await api.app.request(pathname);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
      return Buffer.from(await response.arrayBuffer());
    };
    const [bobs, alices] = [await drawn("/users/bob"), await drawn("/users/alice")];
    for (const picture of [bobs, alices]) expectPng(picture, 240);
    expect(bobs.equals(alices)).toBe(false);
    expect(bobs.equals(await drawn("/users/bob"))).toBe(true);
  });

  it("404: no such picture", async () => {
    expect((await api.app.request(`/avatars/${"0".repeat(64)}`)).status).toBe(404);
    expect((await api.app.request("/avatars/..%2fr")).status).toBe(404);
  });
});

/** Chunks with checksums that hold, and as many pixels as the header says. */
function expectPng(picture: Buffer, side: number): void {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < picture.length; at += 12 + picture.readUInt32BE(at)) {
    const named = picture.subarray(at + 4, at + 8 + picture.readUInt32BE(at));
    expect(picture.readUInt32BE(at + 4 + named.length)).toBe(crc32(named));
    chunks.set(named.toString("latin1", 0, 4), named.subarray(4));
  }
  expect([...chunks.keys()]).toEqual(["IHDR", "PLTE", "IDAT", "IEND"]);
  expect([0, 4].map((at) => chunks.get("IHDR")?.readUInt32BE(at))).toEqual([side, side]);
  expect(inflateSync(chunks.get("IDAT") as Buffer).length).toBe(side * (1 + Math.ceil(side / 8)));
}
