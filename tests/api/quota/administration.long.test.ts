import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { holdTimeStill } from "#tests/support/still-time";

let api: TestApi;
let boss: Caller;
let made = 0;
let name: string;

beforeAll(async () => {
  api = await makeApi();
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await api.makeUser({ name: "alice" });
});
beforeEach(() => {
  made += 1;
  name = `n${made}`;
});
afterAll(() => api.stop());

const call = (method: string, path: string, body?: object, as = boss) =>
  api.call(method, `/admin${path}`, body === undefined ? { as } : { as, body });
const status = async (method: string, path: string, body?: object) => (await call(method, path, body)).status;

describe("adminAddUserToQuotaGroup, adminRemoveUserFromQuotaGroup, adminListUsersInQuotaGroup", () => {
  it("204: ten requests at once put an owner into ten groups, and none is lost", async () => {
    holdTimeStill();
    const names = Array.from({ length: 10 }, (_, at) => `${name}-${at}`);
    for (const one of names) await call("POST", "/quota/groups", { name: one });
    const put = (one: string) => status("PUT", `/quota/groups/${one}/users/alice`);
    expect(new Set(await Promise.all(names.map(put)))).toEqual(new Set([204]));
    for (const one of names)
      expect((await call("GET", `/quota/groups/${one}/users`)).json).toMatchObject([{ login: "alice" }]);
  });
});

describe("adminSetUserQuotaGroups", () => {
  const set = (groups: string[], who = "alice") => status("POST", `/users/${who}/quota/groups`, { groups });

  it("422: more than 40 groups", async () => {
    const names = Array.from({ length: 41 }, (_, at) => `${name}-${at}`);
    for (const group of names) await call("POST", "/quota/groups", { name: group });
    expect(await set(names)).toBe(422);
    expect(await set(names.slice(1))).toBe(204);
    expect(await set(names.slice(0, 1))).toBe(204);
  });
});
