import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Write } from "#core/table/write";
import { createApi } from "#functions/api/app";
import type { ApiAnswer, Caller } from "#tests/support/api";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
let bob: Caller;
beforeAll(async () => {
  world = await makePullWorld();
  bob = await world.api.makeUser({ name: "bob" });
});
afterAll(() => world.api.stop());

/** Whether a transaction writes a request. */
const writesRequest = (writes: readonly Write[]): boolean =>
  writes.some((write) => "put" in write && write.put.kind === "pull" && write.put.sk === "#");

/** A call by bob, before whose transaction about a request something happens; and its status. */
async function meanwhile(
  happens: () => Promise<unknown>,
  [method, path, body]: readonly [string, string, object],
): Promise<Pick<ApiAnswer, "status">> {
  const app = createApi({ forge: withMeanwhile(world.api.forge, happens, writesRequest) });
  const headers = { authorization: `token ${bob.token}`, "content-type": "application/json" };
  const init = { method, headers, body: JSON.stringify(body) };
  return app.request(`/api/v1${path}`, init, { clientAddress: "192.0.2.1" });
}

const remove = (repository: string, branch: string, as: Caller) => () =>
  world.api.call("DELETE", `${repository}/branches/${branch}`, { as });
const openIn = async (repository: string): Promise<number[]> => {
  await world.runEvents();
  const { json } = await world.api.call("GET", `${repository}/pulls?state=open`, { as: world.alice });
  return json.map(({ number }: { number: number }) => number);
};

/** Alice's repository, which bob may write, and bob's fork of it, each with `topic`. */
async function makeBoth(name: string, more: object = {}) {
  const base = await world.makeRepository(name, more);
  await world.api.call("PUT", `${base}/collaborators/bob`, {
    as: world.alice,
    body: { permission: "write" },
  });
  await world.api.call("POST", `${base}/forks`, { as: bob, body: {} });
  const fork = `/repos/bob/${name}`;
  await world.commitOn(base, "topic");
  await world.commitOn(fork, "topic", "main", bob);
  return { base, fork };
}

const heads = [
  ["its own", "topic", false],
  ["a fork's", "bob:topic", false],
  ["a private fork's", "bob:topic", true],
] as const;

describe.each(heads)("a request from %s branch that is deleted meanwhile", (title, head, isPrivate) => {
  const name = `gone-${title.length}`;

  it("repoCreatePullRequest: 404, and none is opened; of a base, too", async () => {
    const { base, fork } = await makeBoth(name, { private: isPrivate });
    const body = { title: "T", head, base: "main" };
    const removing = remove(head === "topic" ? base : fork, "topic", bob);
    expect((await meanwhile(removing, ["POST", `${base}/pulls`, body])).status).toBe(404);
    await world.commitOn(base, "old");
    await world.commitOn(head === "topic" ? base : fork, "topic", "main", bob);
    const intoOld = ["POST", `${base}/pulls`, { ...body, base: "old" }] as const;
    expect((await meanwhile(remove(base, "old", bob), intoOld)).status).toBe(404);
    expect(await openIn(base)).toEqual([]);
  });

  it("repoEditPullRequest: 422, and it is not opened again, nor goes into a base that is deleted", async () => {
    const { base, fork } = await makeBoth(`re-${name}`, { private: isPrivate });
    const number = await world.open(base, head, "main", bob);
    const edit = (body: object) => ["PATCH", `${base}/pulls/${number}`, body] as const;
    await world.commitOn(base, "old");
    const moved = await meanwhile(remove(base, "old", bob), edit({ base: "old" }));
    expect(moved.status).toBe(422);
    expect(await world.show(base, number)).toMatchObject({ state: "open", base: "main" });
    await world.api.call("PATCH", `${base}/pulls/${number}`, { as: bob, body: { state: "closed" } });
    const removing = remove(head === "topic" ? base : fork, "topic", bob);
    expect((await meanwhile(removing, edit({ state: "open" }))).status).toBe(422);
    expect(await openIn(base)).toEqual([]);
  });
});

describe("repoGetPullRequest, the first after a push", () => {
  it.each([
    ["closed", { state: "closed" }, "closed"],
    ["given another base", { base: "old" }, "open"],
  ])("200 at once for a request that is %s before its head has followed", async (title, change, state) => {
    const repository = await world.makeRepository(`read-${title.length}`);
    await world.commitOn(repository, "old");
    await world.commitOn(repository, "topic");
    const number = await world.open(repository, "topic", "main");
    const fits = (input: object) => JSON.stringify(input).includes("HEAD#");
    world.api.faults.inject({ service: "dynamodb", operation: "Query", fault: new Error("not now"), fits });
    const head = await world.commitOn(repository, "topic");
    const path = `${repository}/pulls/${number}`;
    const edit = () => world.api.call("PATCH", path, { as: world.alice, body: change });
    const app = createApi({ forge: withMeanwhile(world.api.forge, edit) });
    const answer = await app.request(`/api/v1${path}`, {}, { clientAddress: "192.0.2.1" });
    expect([answer.status, await answer.json()]).toMatchObject([200, { state }]);
    if (state === "open")
      expect(await world.show(repository, number)).toMatchObject({ sha: head, base: "old" });
  });
});
