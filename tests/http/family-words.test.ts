import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeOrganization, startOrganizations } from "#tests/api/organization/make";
import type { Caller, TestApi } from "#tests/support/api";
import { makeKeyLine } from "#tests/support/keys";

let api: TestApi;
let alice: Caller;
let admin: Caller;

beforeAll(async () => {
  ({ api, alice, boss: admin } = await startOrganizations());
  await makeOrganization(api, alice, "words");
  await api.call("POST", "/user/repos", { as: alice, body: { name: "known", auto_init: true } });
});
afterAll(() => api.stop());

const words = async (method: string, path: string, body?: object, as: Caller = alice) => {
  const { status, json } = await api.call(method, path, { as, body });
  return { status, message: json.message, errors: json.errors };
};

describe("refusals in the words that the family's clients compare (semantics §1.4)", () => {
  const absent = "The target couldn't be found.";
  const noUser = "user redirect does not exist [name: nobody]";

  it.each([
    ["GET", "/repos/alice/None", absent, ["repository does not exist [alice/None]"]],
    ["DELETE", "/repos/alice/None", absent, ["repository does not exist [alice/None]"]],
    ["GET", "/orgs/Nobody", absent, [noUser]],
    ["DELETE", "/orgs/Nobody", absent, [noUser]],
    ["GET", "/teams/9999", absent, ["team does not exist [id: 9999]"]],
    ["GET", "/users/Nobody", noUser, []],
    ["GET", "/users/Nobody/repos", noUser, []],
  ])("404: %s %s", async (method, path, message, errors) => {
    expect(await words(method, path)).toEqual({ status: 404, message, errors });
  });

  it("404: adminDeleteUser", async () => {
    expect(await words("DELETE", "/admin/users/Nobody", undefined, admin)).toMatchObject({
      status: 404,
      message: noUser,
    });
  });

  it.each([
    [409, "/user/repos", { name: "known" }, "The repository with the same name already exists."],
    [422, "/orgs", { username: "words" }, "user already exists [name: words]"],
    [403, "/repos/alice/known/branch_protections", { rule_name: "main" }, "Branch protection already exist"],
    [422, "/user/keys", { title: "t", key: makeKeyLine() }, "Key title has been used"],
    [409, "/repos/alice/known/forks", { organization: "words" }, /^repository is already forked/],
  ])("%i: POST %s a second time", async (status, path, body, message) => {
    await words("POST", path, body);
    const again = path.endsWith("/forks") ? { name: "again" } : {};
    const second = "key" in body ? { ...body, key: makeKeyLine() } : { ...body, ...again };
    expect(await words("POST", path, second)).toMatchObject({
      status,
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });
});
