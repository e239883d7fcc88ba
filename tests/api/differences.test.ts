import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let owner: Caller;
let outsider: Caller;
let administrator: Caller;
let repository: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser();
  outsider = await api.makeUser();
  administrator = await api.makeUser({ isAdmin: true });
  repository = await makeRepository(api, owner, { isPrivate: true });
});
afterAll(() => api.stop());

const gitHooks = [
  ["repoListGitHooks", "GET", "/hooks/git"],
  ["repoGetGitHook", "GET", "/hooks/git/pre-receive"],
  ["repoEditGitHook", "PATCH", "/hooks/git/pre-receive"],
  ["repoDeleteGitHook", "DELETE", "/hooks/git/pre-receive"],
] as const;

describe.each(gitHooks)("%s", (_id, method, path) => {
  const call = (as?: Caller) =>
    api.call(method, `${repository.path}${path}`, { as, ...(method === "PATCH" ? { body: {} } : {}) });

  it("403: no scripts of users run on the server, whoever asks", async () => {
    expect([(await call(owner)).status, (await call(administrator)).status]).toEqual([403, 403]);
    expect((await call(owner)).json.message).toContain("webhooks");
  });

  it("404 for a repository that the caller may not see (D-HIDDEN)", async () => {
    expect((await call(outsider)).status).toBe(404);
  });
});

const badges = (method: string, slugs: readonly string[], as: Caller = administrator, name = owner.name) =>
  api.call(method, `/admin/users/${name}/badges`, {
    as,
    ...(method === "GET" ? {} : { body: { badge_slugs: slugs } }),
  });

describe("adminListUserBadges", () => {
  it("200: there are none; 404 for an unknown user, 403 for others than administrators", async () => {
    const answer = await badges("GET", []);
    expect([answer.status, answer.json]).toEqual([200, []]);
    expect((await badges("GET", [], administrator, "nobody-of-this-name")).status).toBe(404);
    expect((await badges("GET", [], owner)).status).toBe(403);
  });
});

describe.each([
  ["adminAddUserBadges", "POST"],
  ["adminDeleteUserBadges", "DELETE"],
])("%s", (_id, method) => {
  it("422: no slug stands for a badge; 204 for none", async () => {
    expect((await badges(method, ["veteran"])).status).toBe(422);
    expect((await badges(method, [])).status).toBe(204);
  });
});

const federated = [
  ["GET", "/activitypub/actor"],
  ["POST", "/activitypub/actor/inbox"],
  ["POST", "/activitypub/actor/outbox"],
  ["GET", "/activitypub/repository-id/1"],
  ["POST", "/activitypub/repository-id/1/inbox"],
  ["POST", "/activitypub/repository-id/1/outbox"],
  ["GET", "/activitypub/user-id/1"],
  ["GET", "/activitypub/user-id/1/activities/1"],
  ["GET", "/activitypub/user-id/1/activities/1/activity"],
  ["POST", "/activitypub/user-id/1/inbox"],
  ["GET", "/activitypub/user-id/1/outbox"],
] as const;

it.each(federated)("%s %s answers 404: federation is off", async (method, path) => {
  for (const as of [undefined, administrator]) {
    expect((await api.call(method, path, { as })).status).toBe(404);
  }
});
