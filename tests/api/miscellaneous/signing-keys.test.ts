import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let owner: Caller;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "owner" });
  await api.call("POST", "/user/repos", { as: owner, body: { name: "r" } });
  await api.call("POST", "/user/repos", { as: owner, body: { name: "hidden", private: true } });
});
afterAll(() => api.stop());

describe.each([
  ["getSigningKey", "/signing-key.gpg"],
  ["getSigningKeySSH", "/signing-key.pub"],
  ["repoSigningKey", "/repos/owner/r/signing-key.gpg"],
  ["repoSigningKeySSH", "/repos/owner/r/signing-key.pub"],
])("%s", (_id, path) => {
  it("200: an empty text, as the service signs nothing by itself (semantics §69)", async () => {
    const { status, text, headers } = await api.call("GET", path);
    expect([status, text]).toEqual([200, ""]);
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
  });
});

describe("getSSHSigningKey", () => {
  it("404, as there is no key (semantics §69)", async () => {
    expect((await api.call("GET", "/signing-key.ssh")).status).toBe(404);
  });
});

describe("repoSigningKey, repoSigningKeySSH", () => {
  it("404 for callers who may not see the repository", async () => {
    for (const kind of ["gpg", "pub"]) {
      const path = `/repos/owner/hidden/signing-key.${kind}`;
      expect((await api.call("GET", path)).status).toBe(404);
      expect((await api.call("GET", path, { as: owner })).status).toBe(200);
    }
  });
});
