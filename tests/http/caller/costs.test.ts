import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRepository } from "#core/git/store/store";
import { createGitResolver } from "#functions/git/resolve";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { measured } from "#tests/support/measured";

let api: TestApi;
let owner: Caller;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "owner" });
  for (const name of ["open", "other"]) await api.call("POST", "/user/repos", { as: owner, body: { name } });
});
afterAll(() => api.stop());

const requestFor = (repo: string, headers: Record<string, string>) =>
  ({
    headers: new Headers(headers),
    owner: "owner",
    repo,
    service: "upload",
    environment: {},
    log: api.forge.log,
  }) as const;

/** The cost of finding out the caller and their rights on a repository: everything that git's resolver reads. */
async function cost(repo: string, headers: Record<string, string>) {
  const resolve = createGitResolver(api.forge);
  const { result, usage } = await measured(() => resolve(requestFor(repo, headers)));
  expect(result.ok).toBe(true);
  return [usage.tableRequests, usage.tableReadUnits, usage.tableWriteUnits];
}

describe("the caller and their rights, in requests, read units and write units", () => {
  it("token: three requests at first, then one; no write once the use was noted", async () => {
    const caller = await api.makeUser();
    const headers = { authorization: `token ${caller.token}` };
    expect((await cost("open", headers)).slice(0, 1)).toEqual([3 + 2 + 2]); // to note the first use of the token, and of the account on that day
    expect(await cost("open", headers)).toEqual([1, 7, 0]);
    expect(await cost("other", headers)).toEqual([3, 7, 0]); // the token is known, the names are not
    expect(await cost("other", headers)).toEqual([1, 7, 0]);
  });

  it("token of the owner: nothing is read of what others were given", async () => {
    const headers = { authorization: `token ${owner.token}` };
    await cost("open", headers);
    expect(await cost("open", headers)).toEqual([1, 5, 0]);
  });

  it("password: three requests at first, then one; no write but for the first use on a day", async () => {
    const caller = await api.makeUser();
    const headers = basic(caller.name, caller.password);
    expect(await cost("open", headers)).toEqual([3 + 2, 8, 2]);
    expect(await cost("open", headers)).toEqual([1, 8, 0]);
    api.clock.advance(86_400_000);
    expect(await cost("open", headers)).toEqual([1 + 3, 8, 3]); // it counts no more for the day before
    expect(await cost("open", headers)).toEqual([1, 8, 0]);
  });

  it("nobody: three requests at first, then one; none before they are told to log in to push", async () => {
    await cost("other", {});
    expect(await cost("other", {})).toEqual([1, 4, 0]);
    const resolve = createGitResolver(api.forge);
    const { result, usage } = await measured(() =>
      resolve({ ...requestFor("other", {}), service: "receive" }),
    );
    expect([result, usage.tableRequests]).toMatchObject([{ ok: false, status: 401 }, 0]);
  });

  it("the repository itself comes with them where it is to be opened, and is read anew when opened again", async () => {
    const headers = { authorization: `token ${owner.token}` };
    await cost("open", headers);
    const resolve = createGitResolver(api.forge);
    const { result, usage } = await measured(async () => {
      const resolved = await resolve({ ...requestFor("open", headers), opens: true });
      if (!resolved.ok || resolved.stores === undefined) throw new Error("there are no stores");
      const { stores, repository } = resolved;
      return { stores, id: repository.id, opened: await openRepository(stores, repository.id) };
    });
    expect([usage.tableRequests, usage.tableReadUnits]).toEqual([1, 6]);
    expect(result.opened).toEqual({
      ...(await openRepository(api.forge, result.id)),
      packs: expect.any(Function),
    });
    const again = await measured(() => openRepository(result.stores, result.id));
    expect(again.usage.tableRequests).toBe(1);
  });
});

describe("userGetCurrent", () => {
  it("200: by token one request of two small items, once the token is known", async () => {
    const caller = await api.makeUser();
    const ask = () => api.call("GET", "/user", { as: caller });
    expect((await ask()).headers.get("server-timing")).toContain("6 requests, 2 read and 4 write units"); // notes its use
    expect((await ask()).headers.get("server-timing")).toContain("1 requests, 2 read and 0 write units");
  });
});
