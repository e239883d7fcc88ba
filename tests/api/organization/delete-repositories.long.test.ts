import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cardKey } from "#core/repository/repository.table";
import { put } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { writeMany } from "#tests/support/write-many";
import { makeOrganization } from "./make.ts";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

describe("orgDeleteRepos", () => {
  it("422: of more than 20,000 one job can't name each: nothing is deleted", async () => {
    const { id } = await makeOrganization(api, alice, "acme");
    const cards = Array.from({ length: 20_001 }, (_, at) => put({ ...cardKey(id, 1_000_000 + at), _v: 1 }));
    await writeMany(api.forge, cards);
    const { status, json } = await api.call("DELETE", "/orgs/acme/repos", { as: alice });
    expect([status, json.message]).toEqual([422, expect.stringContaining("one by one")]);
    expect(await api.forge.table.get(cardKey(id, 1_020_000))).toBeDefined();
  });
});
