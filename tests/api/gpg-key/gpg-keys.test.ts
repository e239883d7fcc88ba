import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { put, update } from "#core/table/write";
import { emailAddressKey } from "#core/user/user.table";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { type GpgPair, gpgSign, makeGpgPair } from "#tests/support/git/gpg";
import { aliceSample, bobSample } from "../../core/gpg-key/gpg-samples.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let pair: GpgPair;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  pair = await makeGpgPair({ name: "Elsewhere", email: "elsewhere@example.com" });
});
afterAll(() => api.stop());

const add = (as: Caller, armored: string, signature?: string) =>
  api.call("POST", "/user/gpg_keys", {
    as,
    body: {
      armored_public_key: armored,
      ...defined({ armored_signature: signature }),
    },
  });
const get = (as: Caller, path = "") => api.call("GET", `/user/gpg_keys${path}`, { as });
const tokenOf = async (as: Caller) => (await api.call("GET", "/user/gpg_key_token", { as })).text;
const verify = (as: Caller, body: object) => api.call("POST", "/user/gpg_key_verify", { as, body });
const makeOwn = ({ user }: Caller) => makeGpgPair({ name: "Own", email: user.email });

describe("userCurrentPostGPGKey", () => {
  it("201: a key that names an activated address, with its subkeys", async () => {
    const { status, json } = await add(alice, aliceSample.armoredKey);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      id: expect.any(Number),
      primary_key_id: "",
      key_id: "9489893E4C26622B",
      emails: [
        { email: "alice@example.com", verified: true },
        { email: "second@example.com", verified: false },
      ],
      ...{ can_certify: true, can_sign: false, can_encrypt_comms: false, can_encrypt_storage: false },
      verified: false,
      expires_at: "0001-01-01T00:00:00Z",
    });
    expect(json.public_key).toBe("xjMEawJK9hYJKwYBBAHaRw8BAQdAwEhMzxN+85ICS7eAdTg4mATtgSuGHTwPExT/dr8A02k=");
    expect(json.subkeys).toMatchObject([
      { key_id: "65C263A923D9B0CF", primary_key_id: "9489893E4C26622B", can_sign: true, subkeys: [] },
      { key_id: "0344FBF0F9146945", can_sign: false, can_encrypt_comms: true },
    ]);
    expect((await add(alice, aliceSample.armoredKey)).status).toBe(422);
  });

  it("422: a key without an activated address of the user's, and no key", async () => {
    const foreign = await add(alice, bobSample.armoredKey);
    expect([foreign.status, foreign.json.message]).toEqual([422, expect.stringContaining("activated")]);
    expect((await add(alice, "garbage")).json.message).toContain("[ArmoredKey]");
    expect((await api.call("POST", "/user/gpg_keys", { as: alice, body: {} })).status).toBe(422);
    const address = { ...emailAddressKey(alice.user.id, "bob@work.example"), email: "bob@work.example" };
    await api.forge.table.write(put({ ...address, isVerified: false, isPrimary: false, _v: 1 }));
    const waiting = await makeGpgPair({ name: "Bob", email: "bob@work.example" });
    expect((await add(alice, waiting.armored)).status).toBe(422);
    await api.forge.table.write(update(address, { set: { isVerified: true } }));
    expect((await add(alice, waiting.armored)).status).toBe(201);
  });

  it("201: any key that signed the caller's token; 422 for another's token, an old one, another key", async () => {
    const token = await tokenOf(alice);
    const other = await makeGpgPair({ name: "Other", email: "other@example.com" });
    const refused = [
      await gpgSign(pair, await tokenOf(bob)),
      await gpgSign(other, token),
      await gpgSign(pair, `${token} `),
      aliceSample.signature,
      "garbage",
    ];
    for (const signature of refused) expect((await add(alice, pair.armored, signature)).status).toBe(422);
    const old = await gpgSign(pair, token);
    api.clock.advance(2 * 3_600_000);
    const late = await add(alice, pair.armored, old);
    expect([late.status, late.json.message]).toEqual([422, expect.stringContaining(await tokenOf(alice))]);
    const fresh = await gpgSign(pair, `${await tokenOf(alice)}\n`);
    api.clock.advance(3_000_000);
    const { status, json } = await add(alice, pair.armored, fresh);
    expect([status, json.verified]).toEqual([201, true]);
  });

  it("422: of one key added by two at once, one is taken", async () => {
    const shared = await makeGpgPair([
      { name: "A", email: alice.user.email },
      { name: "B", email: bob.user.email },
    ]);
    const both = await Promise.all([alice, bob].map((who) => add(who, shared.armored)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  });
});

describe("userCurrentListGPGKeys", () => {
  it("200: pages of the caller's keys", async () => {
    const lister = await api.makeUser();
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await add(lister, (await makeOwn(lister)).armored)).json.id);
    }
    const { status, json, headers } = await get(lister, "?limit=2&page=2");
    expect([status, json.map(({ id }: JsonValue) => id), headers.get("x-total-count")]).toEqual([
      ...[200, ids.slice(2), "3"],
    ]);
  });
});

describe("userListGPGKeys", () => {
  it("200: anybody's keys for callers who are logged in; 404 for hidden users", async () => {
    const path = "/users/alice/gpg_keys";
    const { status, json } = await api.call("GET", path, { as: bob });
    expect([status, json]).toEqual([200, (await get(alice)).json]);
    expect((await api.call("GET", path)).status).toBe(401);
    const hidden = await api.makeUser({ visibility: "private" });
    expect((await api.call("GET", `/users/${hidden.name}/gpg_keys`, { as: bob })).status).toBe(404);
  });
});

describe("userCurrentGetGPGKey", () => {
  it("200 for an own key, 404 for another's and for none", async () => {
    const { json } = await add(bob, (await makeOwn(bob)).armored);
    const got = await get(bob, `/${json.id}`);
    expect([got.status, got.json]).toEqual([200, json]);
    expect([(await get(alice, `/${json.id}`)).status, (await get(bob, "/999999")).status]).toEqual([
      404, 404,
    ]);
  });
});

describe("userCurrentDeleteGPGKey", () => {
  it("204, and the key may be added again; 404 for another's and for none", async () => {
    const { armored } = await makeOwn(bob);
    const { json } = await add(bob, armored);
    const remove = (as: Caller) => api.call("DELETE", `/user/gpg_keys/${json.id}`, { as });
    expect((await remove(alice)).status).toBe(404);
    expect([(await remove(bob)).status, (await remove(bob)).status]).toEqual([204, 404]);
    expect((await add(bob, armored)).status).toBe(201);
  });
});

describe("getVerificationToken", () => {
  it("200: a text of the caller's own, the same within the hour, kept by nobody", async () => {
    const { status, text, headers } = await api.call("GET", "/user/gpg_key_token", { as: alice });
    expect([status, text]).toEqual([200, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect([await tokenOf(alice), (await tokenOf(bob)) === text]).toEqual([text, false]);
  });
});

describe("userVerifyGPGKey", () => {
  it("201: the key counts as verified; 422 for another signature, 404 for a key of another user", async () => {
    const own = await makeOwn(bob);
    const { json } = await add(bob, own.armored);
    expect(json.verified).toBe(false);
    const armored_signature = await gpgSign(own, await tokenOf(bob));
    const wrong = { key_id: json.key_id, armored_signature: await gpgSign(own, await tokenOf(alice)) };
    expect((await verify(bob, wrong)).status).toBe(422);
    expect((await verify(alice, { key_id: json.key_id, armored_signature })).status).toBe(404);
    const done = await verify(bob, { key_id: json.key_id.toLowerCase(), armored_signature });
    expect([done.status, done.json.verified]).toEqual([201, true]);
    expect((await get(bob, `/${json.id}`)).json.verified).toBe(true);
  });
});
