import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

const create = (body: object, as: Caller | undefined = alice) => api.call("POST", "/user/repos", { as, body });

describe("createCurrentUserRepo", () => {
  it("201: an empty repository with the settings' defaults", async () => {
    const { status, json } = await create({ name: "Plain", description: "words" });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: "Plain",
      full_name: "alice/Plain",
      description: "words",
      empty: true,
      private: false,
      default_branch: "main",
      object_format_name: "sha1",
      size: 0,
      permissions: { admin: true, push: true, pull: true },
      owner: { login: "alice" },
      clone_url: "http://127.0.0.1:3000/alice/Plain.git",
      html_url: "http://127.0.0.1:3000/alice/Plain",
    });
    const read = await api.call("GET", "/repos/ALICE/plain", { as: alice });
    expect(read.json).toEqual(json);
  });
});
