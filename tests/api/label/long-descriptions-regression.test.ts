import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  await api.call("POST", "/user/repos", { as: alice, body: { name: "r" } });
});
afterAll(() => api.stop());

const labels = "/repos/alice/r/labels";
const make = (name: string, description: string) =>
  api.call("POST", labels, { as: alice, body: { name, color: "#aabbcc", description } });

describe("issueCreateLabel, issueEditLabel", () => {
  it("422 past 256 KiB of descriptions together, also of labels made at once: each issue shows all that it has", async () => {
    const long = "d".repeat(60 * 1024);
    const made = await Promise.all(["a", "b", "c", "d", "e", "f"].map((name) => make(name, long)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 422, 422]);
    const [{ id }] = (await api.call("GET", labels, { as: alice })).json;
    const edit = (description: string) =>
      api.call("PATCH", `${labels}/${id}`, { as: alice, body: { description } });
    expect(await edit("d".repeat(65_000))).toMatchObject({ status: 200 });
    const other = await make("g", "d".repeat(20 * 1024));
    expect(other).toMatchObject({ status: 422, json: { message: expect.stringContaining("256 KiB") } });
    expect((await make("h", "d".repeat(10 * 1024))).status).toBe(201);
    expect((await edit("")).status).toBe(200);
    expect((await make("g", "d".repeat(20 * 1024))).status).toBe(201);
    expect((await edit("d".repeat(65_000))).status).toBe(422);
  });
});
