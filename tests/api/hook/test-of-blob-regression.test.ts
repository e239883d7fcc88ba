import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makePack } from "#tests/support/git/make-pack";

let api: TestApi;
let owner: Caller;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "owner" });
});
afterAll(() => api.stop());

describe("repoTestHook", () => {
  it("404: a tag that leads to no commit, of which no push could be made", async () => {
    const made = await api.call("POST", "/user/repos", { as: owner, body: { name: "r", auto_init: true } });
    const place = { id: made.json.id as number, ownerId: made.json.owner.id as number };
    const pack = makePack("sha1", [{ type: "blob", data: Buffer.from("just text\n") }]);
    const changes = [{ name: "refs/tags/text", new: pack.ids[0] as string }];
    const pushed = await pushToRepository(api.forge, place, { user: owner.user }, { changes, pack });
    expect(pushed).toMatchObject({ kind: "done", results: [{ name: "refs/tags/text" }] });
    const body = {
      type: "gitea",
      config: { url: "https://ci.example/", content_type: "json" },
      active: true,
    };
    const hook = await api.call("POST", "/repos/owner/r/hooks", { as: owner, body });
    const test = (ref: string) =>
      api.call("POST", `/repos/owner/r/hooks/${hook.json.id}/tests?ref=${ref}`, { as: owner });
    expect(await test("text")).toMatchObject({
      status: 404,
      json: { message: expect.stringContaining("leads to no commit") },
    });
    expect((await test("main")).status).toBe(204);
  });
});
