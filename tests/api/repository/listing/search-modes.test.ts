import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { setRepository } from "#tests/support/set-listed";
import { join, makeOrganization, makeRepository, makeTeam, namesIn } from "../../organization/make.ts";

/**
 * alice: apple (bob and carol have forks of it), berry (carol has one), glass (a mirror), vault (private, bob is a
 * collaborator), well (a private mirror). acme, alice's: desk (private, of a team of bob's), shelf (private, of none).
 */
let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let shy: Caller;
const forks = ["bob/apple", "carol/apple", "carol/berry"];

beforeAll(async () => {
  api = await makeApi();
  [alice, bob, carol, shy] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "carol" }),
    await api.makeUser({ name: "shy", visibility: "private" }),
  ];
  const give = (path: string) =>
    api.call("PUT", `/repos/${path}/collaborators/bob`, { as: alice, body: { permission: "read" } });
  await make("POST", "/user/repos", alice, { name: "apple" });
  await make("POST", "/user/repos", alice, { name: "berry" });
  const glass = await make("POST", "/user/repos", alice, { name: "glass" });
  await make("POST", "/user/repos", alice, { name: "vault", private: true });
  const well = await make("POST", "/user/repos", alice, { name: "well", private: true });
  for (const { id } of [glass, well]) await setRepository(api.forge, id, { isMirror: true });
  for (const path of ["alice/vault", "alice/well"]) expect((await give(path)).status).toBe(204);
  await make("POST", "/user/repos", shy, { name: "cave" });
  await make("POST", "/repos/alice/apple/forks", bob, {});
  await make("POST", "/repos/alice/apple/forks", carol, {});
  await make("POST", "/repos/alice/berry/forks", carol, {});
  await makeOrganization(api, alice, "acme");
  const team = await makeTeam(api, alice, "acme", "joiners");
  await join(api, alice, team, bob);
  await makeRepository(api, alice, "acme", "desk", { private: true });
  await makeRepository(api, alice, "acme", "shelf", { private: true });
  expect((await api.call("PUT", `/teams/${team}/repos/acme/desk`, { as: alice })).status).toBe(204);
});
afterAll(() => api.stop());

async function make(method: string, path: string, as: Caller, body: object) {
  const { status, json } = await api.call(method, path, { as, body });
  expect([201, 202]).toContain(status);
  return json;
}

const ask = (query: string, as?: Caller) => api.call("GET", `/repos/search?${query}`, { as });

/** All results of a search, whose total says the same. */
async function found(query: string, as?: Caller): Promise<string[]> {
  const answer = await ask(query, as);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-total-count")).toBe(String(answer.json.data.length));
  return namesIn({ ...answer, json: answer.json.data });
}

describe("repoSearch by mode (OPQ-repoSearch.mode, OPQ-repoSearch.uid, semantics §24.2)", () => {
  it("200: fork: forks alone, and those of one owner", async () => {
    expect(await found("mode=fork")).toEqual(forks);
    expect(await found(`mode=fork&uid=${carol.user.id}`)).toEqual(["carol/apple", "carol/berry"]);
    expect(await found(`mode=fork&uid=${alice.user.id}`)).toEqual([]);
    expect(await found("mode=fork&q=berry")).toEqual(["carol/berry"]);
    expect(await found("mode=fork&is_private=true", carol)).toEqual([]);
  });

  it("200: mirror: mirrors alone, hidden ones for callers who may see them", async () => {
    expect(await found("mode=mirror")).toEqual(["alice/glass"]);
    expect(await found("mode=mirror", carol)).toEqual(["alice/glass"]);
    expect(await found("mode=mirror", bob)).toEqual(["alice/glass", "alice/well"]);
    expect(await found("mode=mirror&private=false", alice)).toEqual(["alice/glass"]);
  });

  it("200: source: neither forks nor mirrors, private and the callers' own among them", async () => {
    expect(await found("mode=source")).toEqual(["alice/apple", "alice/berry"]);
    expect(await found("mode=source", shy)).toEqual(["alice/apple", "alice/berry", "shy/cave"]);
    expect(await found("mode=source", bob)).toEqual([
      ...["alice/apple", "alice/berry", "acme/desk", "alice/vault"],
    ]);
    expect(await found(`mode=source&uid=${alice.user.id}&exclusive=true`, alice)).toEqual([
      ...["alice/apple", "alice/berry", "alice/vault"],
    ]);
  });

  it("200: collaborative: repositories that uid was given by collaboration and teams, neither their own nor mirrors", async () => {
    const query = `mode=collaborative&uid=${bob.user.id}`;
    expect(await found(query, bob)).toEqual(["acme/desk", "alice/vault"]);
    expect(await found(query, alice)).toEqual(["acme/desk", "alice/vault"]);
    expect(await found(query, carol)).toEqual([]);
    expect(await found(query)).toEqual([]);
    expect(await found(`${query}&exclusive=true`, bob)).toEqual([]);
    expect(await found(`uid=${bob.user.id}`, bob)).toEqual([
      ...["bob/apple", "acme/desk", "alice/vault", "alice/well"],
    ]);
  });

  it("200: collaborative without uid: whatever is no mirror, forks too", async () => {
    expect(await found("mode=collaborative")).toEqual([
      ...["alice/apple", "bob/apple", "carol/apple", "alice/berry", "carol/berry"],
    ]);
  });
});

describe("repoSearch with priority_owner_id (OP-repoSearch)", () => {
  const others = ["alice/apple", "bob/apple", "alice/berry", "alice/glass"];

  it("200: what the owner has comes first, each half in the order asked for", async () => {
    const query = `priority_owner_id=${carol.user.id}`;
    expect(await found(query)).toEqual(["carol/apple", "carol/berry", ...others]);
    expect(await found(`${query}&sort=alpha&order=desc`)).toEqual([
      ...["carol/berry", "carol/apple", "alice/glass", "alice/berry", "alice/apple", "bob/apple"],
    ]);
    expect(await found(`${query}&sort=id`)).toEqual([
      ...["carol/apple", "carol/berry", "alice/apple", "alice/berry", "alice/glass", "bob/apple"],
    ]);
  });

  it("200: filters hold in both halves", async () => {
    const query = `priority_owner_id=${carol.user.id}`;
    expect(await found(`${query}&q=berry`)).toEqual(["carol/berry", "alice/berry"]);
    expect(await found(`${query}&mode=source`)).toEqual(["alice/apple", "alice/berry"]);
    expect(await found(`${query}&uid=${alice.user.id}&exclusive=true`)).toEqual([
      ...["alice/apple", "alice/berry", "alice/glass"],
    ]);
    expect(await found(`${query}&template=true`)).toEqual([]);
  });

  it("200: of the owner's private ones only those that the caller may see come first (B-18)", async () => {
    const query = `priority_owner_id=${alice.user.id}`;
    const open = ["alice/apple", "alice/berry", "alice/glass"];
    expect(await found(query)).toEqual([...open, ...forks]);
    expect(await found(query, bob)).toEqual([
      ...[...open, "alice/vault", "alice/well"],
      ...["bob/apple", "carol/apple", "carol/berry", "acme/desk"],
    ]);
    expect(await found(`${query}&private=false`, bob)).toEqual([...open, ...forks]);
    expect(await found(`${query}&is_private=true`, bob)).toEqual(["alice/vault", "alice/well", "acme/desk"]);
    expect(await found(`${query}&is_private=true`, carol)).toEqual([]);
  });

  it("200: of an owner who is hidden, of nobody, or of none nothing comes first (B-18)", async () => {
    const plain = await found("");
    for (const id of [shy.user.id, 999_999, 0, -1]) {
      expect(await found(`priority_owner_id=${id}`), String(id)).toEqual(plain);
    }
    const all = await found("", shy);
    expect(await found(`priority_owner_id=${shy.user.id}`, shy)).toEqual([
      "shy/cave",
      ...all.filter((name) => name !== "shy/cave"),
    ]);
    expect(await found(`priority_owner_id=${shy.user.id}&mode=source`, shy)).toEqual([
      ...["shy/cave", "alice/apple", "alice/berry"],
    ]);
  });

  it.each([1, 2, 3, 4])(
    "200: pages of %d over the border hold everything once, with exact totals and Link (D-TOTAL)",
    async (limit) => {
      const query = `priority_owner_id=${alice.user.id}&sort=alpha&order=desc`;
      const whole = await found(query, bob);
      const pages = Math.ceil(whole.length / limit);
      const seen: string[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const answer = await ask(`${query}&limit=${limit}&page=${page}`, bob);
        expect(answer.headers.get("x-total-count")).toBe(String(whole.length));
        expect(answer.headers.get("link")?.includes('rel="next"')).toBe(page < pages);
        seen.push(...namesIn({ ...answer, json: answer.json.data }));
      }
      expect(seen).toEqual(whole);
      const after = await ask(`${query}&limit=${limit}&page=${pages + 1}`, bob);
      expect([after.json.data, after.headers.get("x-total-count")]).toEqual([[], String(whole.length)]);
    },
  );

  it("200: a page that is too far for any number", async () => {
    const { status, json, headers } = await ask(`priority_owner_id=${alice.user.id}&page=9007199254740991`);
    expect([status, json.data, headers.get("x-total-count")]).toEqual([200, [], "6"]);
  });
});

/** Brings lists up to date, like the worker. */
async function work(): Promise<void> {
  api.clock.advance(1_000);
  const drain = () =>
    api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
  for (let { done } = await drain(); done > 0; { done } = await drain());
}

describe("repositories by their number of forks, once the worker has told lists", () => {
  const rest = ["alice/glass", "bob/apple", "carol/apple", "carol/berry"];

  it("200: repoSearch sort=forks, equal ones by id whichever way (semantics §24.2)", async () => {
    await work();
    expect(await found("sort=forks&order=desc")).toEqual(["alice/apple", "alice/berry", ...rest]);
    expect(await found("sort=forks")).toEqual([...rest, "alice/berry", "alice/apple"]);
  });

  it("200: userCurrentListRepos order_by=mostforks, fewestforks (D-ORDER)", async () => {
    await work();
    const listed = async (order: string) =>
      namesIn(await api.call("GET", `/user/repos?order_by=${order}`, { as: bob }));
    const none = ["alice/vault", "alice/well", "bob/apple", "acme/desk"];
    expect(await listed("mostforks")).toEqual(none);
    await make("POST", "/repos/bob/apple/forks", alice, { name: "apple-too" });
    await work();
    const most = ["bob/apple", "alice/vault", "alice/well", "acme/desk"];
    expect(await listed("mostforks")).toEqual(most);
    expect(await listed("fewestforks")).toEqual([...most.slice(1), "bob/apple"]);
  });

  it("200: a fork that is deleted no longer counts", async () => {
    for (const name of ["carol/apple", "bob/apple"]) {
      const as = name.startsWith("bob") ? bob : carol;
      expect((await api.call("DELETE", `/repos/${name}`, { as })).status).toBe(204);
    }
    await work();
    expect((await found("sort=forks&order=desc")).slice(0, 2)).toEqual(["alice/berry", "alice/apple"]);
  });
});
