import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { recountLanguages } from "#core/language/recount";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { makeOrganization } from "../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await makeOrganization(api, alice, "acme");
});
afterAll(() => api.stop());

async function call(method: string, path: string, body?: object, as = alice): Promise<JsonValue> {
  const answer = await api.call(method, path, { as, ...defined({ body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}

describe("a SHA-256 repository through its life (B-09)", () => {
  it("keeps its format, and ids of 64 digits, whatever is done with it", async () => {
    const format = { object_format_name: "sha256" };
    const made = await call("POST", "/user/repos", { name: "born", auto_init: true, ...format });
    expect(made.object_format_name).toBe("sha256");
    const isOf = async (path: string, as = alice) => {
      const shown = await call("GET", `/repos/${path}`, undefined, as);
      const branch = await call("GET", `/repos/${path}/branches/${shown.default_branch}`, undefined, as);
      expect([shown.object_format_name, branch.commit.id]).toEqual([
        "sha256",
        expect.stringMatching(/^[0-9a-f]{64}$/),
      ]);
      return branch.commit.id as string;
    };
    const first = await isOf("alice/born");
    const file = { content: Buffer.from("package main\n").toString("base64"), message: "add" };
    const written = await call("POST", "/repos/alice/born/contents/main.go", file);
    const { sha } = written.commit;
    expect(sha).toMatch(/^[0-9a-f]{64}$/);
    await call("POST", "/repos/alice/born/branches", { new_branch_name: "side", old_ref_name: first });
    await call("POST", "/repos/alice/born/tags", { tag_name: "v1", target: sha, message: "one" });
    await call("POST", `/repos/alice/born/statuses/${sha}`, { state: "success", context: "ci" });
    expect((await call("GET", `/repos/alice/born/commits/${sha}/status`)).state).toBe("success");
    const compared = await call("GET", "/repos/alice/born/compare/side...main");
    expect(compared.commits.map((one: JsonValue) => one.sha)).toEqual([sha]);
    await recountLanguages(api.forge, made.id);
    expect(await call("GET", "/repos/alice/born/languages")).toEqual({ Go: 13 });

    await call("PATCH", "/repos/alice/born", {
      name: "renamed",
      default_branch: "side",
      object_format_name: "sha1",
    });
    expect(await isOf("alice/renamed")).toBe(first);
    await call("PATCH", "/repos/alice/renamed", { archived: true });
    await call("PATCH", "/repos/alice/renamed", { archived: false, template: true, default_branch: "main" });
    await call("PUT", "/repos/alice/renamed/topics/git");
    expect((await call("GET", "/repos/search?q=git&topic=true")).data[0].object_format_name).toBe("sha256");

    await call("POST", "/repos/alice/renamed/forks", { name: "forked" }, bob);
    expect(await isOf("bob/forked", bob)).toBe(sha);
    const generation = { owner: "bob", name: "generated", git_content: true };
    await call("POST", "/repos/alice/renamed/generate", generation, bob);
    await isOf("bob/generated", bob);
    await call("POST", "/repos/alice/renamed/transfer", { new_owner: "acme" });
    await finishJobs(api);
    expect(await isOf("acme/renamed")).toBe(sha);
    await call("DELETE", "/repos/acme/renamed");
    await finishJobs(api);
    expect(await isOf("bob/forked", bob)).toBe(sha);
    expect((await call("GET", "/repos/bob/forked", undefined, bob)).fork).toBe(false);
  });
});
