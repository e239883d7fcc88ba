import { describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { finishJobs } from "#tests/support/jobs";
import { forkedPulls } from "./forked-pulls.ts";
import { commitOn, openPull } from "./make.ts";

const { api, alice, bob, get, idOf, rowsOf, makeForked, headless } = forkedPulls();

describe("issueDelete, of a pull request", () => {
  it("204: its rows and refs/pull/1/head go too, and another one between the branches may be opened at once", async () => {
    const { base, fork, baseId, forkId } = await makeForked("removed");
    await api.call("DELETE", `${base}/issues/1`, { as: alice });
    expect((await get(`${base}/pulls/1`)).status).toBe(404);
    expect((await get(base)).json.open_pr_counter).toBe(0);
    expect([await rowsOf(baseId), await rowsOf(forkId)]).toEqual([[], []]);
    expect((await openPull(api, base, { as: bob, head: "bob:topic" })).number).toBe(2);
    await finishJobs(api);
    const refs = async (number: number) => (await get(`${base}/git/refs/pull/${number}/head`)).status;
    expect([await refs(1), await refs(2)]).toEqual([404, 200]);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
    expect(await checkRepository(api.forge, await idOf(fork, bob))).toEqual([]);
  });
});

describe("repoDelete, of a request's repositories", () => {
  it("of the head: the request is closed, its commits stay with the base", async () => {
    const { base, fork, pull, baseId } = await makeForked("headless");
    await api.call("DELETE", fork, { as: bob });
    await finishJobs(api);
    const { json } = await get(`${base}/pulls/1`);
    expect(json).toMatchObject({ state: "closed", merged: false, head: { ...headless, sha: pull.head.sha } });
    expect((await get(`${base}/pulls/1/commits`)).json).toMatchObject([{ sha: pull.head.sha }]);
    expect((await get(`${base}/pulls/1.diff`)).text).toContain("+a");
    expect((await get(`${base}/issues/1/timeline`)).json).toMatchObject([
      { type: "close", user: { login: "Ghost" } },
    ]);
    const again = { as: alice, body: { state: "open" } };
    expect((await api.call("PATCH", `${base}/pulls/1`, again)).status).toBe(422);
    expect((await get(base)).json.open_pr_counter).toBe(0);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });

  it("of the base: nothing of it is left at the head", async () => {
    const { base, fork, forkId, baseId } = await makeForked("baseless");
    await api.call("DELETE", base, { as: alice });
    await finishJobs(api);
    expect([await rowsOf(baseId), await rowsOf(forkId)]).toEqual([[], []]);
    expect((await commitOn(api, fork, "topic", "more", { as: bob })).length).toBe(40);
    expect(await checkRepository(api.forge, forkId)).toEqual([]);
  });
});
