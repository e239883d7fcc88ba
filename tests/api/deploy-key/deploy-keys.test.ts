import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeSomeDeployKeys } from "#core/deploy-key/deploy-key";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { makeKeyLine } from "#tests/support/keys";

let api: TestApi;
let owner: Caller;
let made = 0;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "owner" });
});
afterAll(() => api.stop());

/** A new repository's keys, as a path. */
async function makeRepository(): Promise<string> {
  made += 1;
  const answer = await api.call("POST", "/user/repos", { as: owner, body: { name: `r${made}` } });
  expect(answer.status).toBe(201);
  return `/repos/owner/r${made}/keys`;
}
const add = (path: string, body: object) => api.call("POST", path, { as: owner, body });
const get = (path: string) => api.call("GET", path, { as: owner });
const remove = (path: string) => api.call("DELETE", path, { as: owner });
const idsOf = (rows: JsonValue): number[] => rows.map(({ id }: JsonValue) => id);

describe("repoCreateKey", () => {
  it("201: the key, with the repository; it may write unless told otherwise (RES-DeployKey)", async () => {
    const path = await makeRepository();
    const key = makeKeyLine("ci@example");
    const { status, json } = await add(path, { title: "ci", key });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(Number),
      key_id: expect.any(Number),
      key,
      url: `http://127.0.0.1:3000/api/v1${path}/${json.id}`,
      title: "ci",
      fingerprint: expect.stringMatching(/^SHA256:/),
      created_at: "2030-01-02T03:04:05Z",
      read_only: false,
      repository: expect.objectContaining({ full_name: `owner/r${made}` }),
    });
    const reading = await add(path, { title: "reader", key: makeKeyLine(), read_only: true });
    expect(reading.json.read_only).toBe(true);
  });

  it("422: a key or title that the repository has, a user's key, and no key", async () => {
    const path = await makeRepository();
    const key = makeKeyLine();
    const own = makeKeyLine();
    await add(path, { title: "ci", key });
    await add("/user/keys", { title: "mine", key: own });
    for (const [message, body] of [
      ["This key has already been added to this repository", { title: "ci 2", key }],
      ["A key with the same name already exists", { title: "ci", key: makeKeyLine() }],
      ["Key content has been used as non-deploy key", { title: "own", key: own }],
      ["Invalid key content", { title: "bad", key: "garbage" }],
      ["[Title]", { key: makeKeyLine() }],
    ] as const) {
      const { status, json } = await add(path, body);
      expect([status, json.message]).toEqual([422, expect.stringContaining(message)]);
    }
    expect((await add("/user/keys", { title: "theirs", key })).status).toBe(422);
  });

  it("201: one key may serve several repositories, under one key id", async () => {
    const paths = [await makeRepository(), await makeRepository()];
    const key = makeKeyLine();
    const added = await Promise.all(paths.map((path) => add(path, { title: "ci", key })));
    expect(added.map(({ status }) => status)).toEqual([201, 201]);
    const [one, other] = added.map(({ json }) => json);
    expect([one.key_id, one.id === other.id]).toEqual([other.key_id, false]);
    // It is free for a user once no repository has it.
    const asUser = () => add("/user/keys", { title: "was a deploy key", key });
    expect([(await remove(`${paths[0]}/${one.id}`)).status, (await asUser()).status]).toEqual([204, 422]);
    expect([(await remove(`${paths[1]}/${other.id}`)).status, (await asUser()).status]).toEqual([204, 201]);
  });

  it("422: of one key added to one repository twice at once, one is taken", async () => {
    const path = await makeRepository();
    const key = makeKeyLine();
    const both = await Promise.all(["a", "b"].map((title) => add(path, { title, key })));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  });
});

describe("repoListKeys", () => {
  it("200: pages of the keys, or those of a key id or fingerprint", async () => {
    const path = await makeRepository();
    const keys: JsonValue[] = [];
    for (const title of ["a", "b", "c"]) keys.push((await add(path, { title, key: makeKeyLine() })).json);
    const page = await get(`${path}?limit=2`);
    expect([page.status, idsOf(page.json), page.headers.get("x-total-count")]).toEqual([
      ...[200, idsOf(keys.slice(0, 2)), "3"],
    ]);
    expect(idsOf((await get(`${path}?key_id=${keys[1].key_id}`)).json)).toEqual([keys[1].id]);
    const fingerprint = encodeURIComponent(keys[2].fingerprint);
    expect(idsOf((await get(`${path}?fingerprint=${fingerprint}`)).json)).toEqual([keys[2].id]);
    expect((await get(`${path}?fingerprint=${fingerprint}&key_id=${keys[1].key_id}`)).json).toEqual([]);
    expect((await get(`${path}?key_id=x`)).status).toBe(422);
  });
});

describe("repoGetKey", () => {
  it("200, and 404 for no key and for another repository's", async () => {
    const path = await makeRepository();
    const { json } = await add(path, { title: "a", key: makeKeyLine() });
    const got = await get(`${path}/${json.id}`);
    expect([got.status, got.json]).toEqual([200, json]);
    expect((await get(`${await makeRepository()}/${json.id}`)).status).toBe(404);
    expect((await get(`${path}/999999`)).status).toBe(404);
  });
});

describe("repoDeleteKey", () => {
  it("204, and key and title may be taken again; 404 for no key and for another repository's", async () => {
    const path = await makeRepository();
    const body = { title: "a", key: makeKeyLine() };
    const { json } = await add(path, body);
    expect((await remove(`${await makeRepository()}/${json.id}`)).status).toBe(404);
    const both = await Promise.all([1, 2].map(() => remove(`${path}/${json.id}`)));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect((await add(path, body)).status).toBe(201);
  });
});

describe("deploy keys of a deleted repository", () => {
  it("are free for others, unless another repository has them", async () => {
    const path = await makeRepository();
    const kept = await makeRepository();
    const [alone, shared] = [makeKeyLine(), makeKeyLine()];
    const { json: first } = await add(path, { title: "alone", key: alone });
    await add(path, { title: "shared", key: shared });
    const { json } = await add(kept, { title: "shared", key: shared });
    const { id } = first.repository;
    expect(await removeSomeDeployKeys(api.forge, id)).toEqual({ hasFound: true, hasMore: false });
    expect(await removeSomeDeployKeys(api.forge, id)).toEqual({ hasFound: false, hasMore: false });
    expect((await add("/user/keys", { title: "free", key: alone })).status).toBe(201);
    expect((await add("/user/keys", { title: "not free", key: shared })).status).toBe(422);
    expect((await get(`${kept}?key_id=${json.key_id}`)).json).toHaveLength(1);
  });
});
