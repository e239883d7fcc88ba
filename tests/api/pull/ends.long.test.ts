import { describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { openPullsFromAnyBranch } from "#core/pull/pull.table";
import { finishJobs } from "#tests/support/jobs";
import { forkedPulls } from "./forked-pulls.ts";
import { commitOn } from "./make.ts";

const { api, admin, alice, get, rowsOf, makeForked, headless } = forkedPulls();

describe("repoTransfer, userRenamed and repoEdit, of a request's repositories", () => {
  it("the request stays open, and shows both under the names that they have now", async () => {
    const carol = await api.makeUser({ name: "carol" });
    const { base, fork, baseId, forkId } = await makeForked("moving", carol);
    await api.call("PATCH", fork, { as: carol, body: { name: "moved-fork" } });
    await api.call("POST", "/orgs", { as: alice, body: { username: "movers" } });
    await api.call("POST", `${base}/transfer`, { as: alice, body: { new_owner: "movers" } });
    await api.call("POST", "/admin/users/carol/rename", { as: admin, body: { new_username: "caroline" } });
    const { json } = await get("/repos/movers/moving/pulls/1");
    expect(json).toMatchObject({
      ...{ state: "open", user: { login: "caroline" } },
      base: { repo: { full_name: "movers/moving" } },
      head: { ref: "topic", repo: { full_name: "caroline/moved-fork" } },
    });
    const by = async (head: string) => (await get(`/repos/movers/moving/pulls/main/${head}`)).status;
    expect(await by("caroline:topic")).toBe(200);
    expect(await api.forge.table.queryAll(openPullsFromAnyBranch(forkId))).toHaveLength(1);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });

  it("a head whose owner hides is hidden, too, and goes on (semantics §3.7)", async () => {
    const fay = await api.makeUser({ name: "fay" });
    const { base, fork, pull, baseId } = await makeForked("veiled", fay);
    const hide = { visibility: "private", source_id: 0, login_name: "fay" };
    await api.call("PATCH", "/admin/users/fay", { as: admin, body: hide });
    const hidden = { ...headless, ref: "topic" };
    expect((await get(`${base}/pulls/1`)).json.head).toEqual({ ...hidden, sha: pull.head.sha });
    expect((await get(`${base}/pulls/1`, fay)).json.head.repo).toMatchObject({ full_name: "fay/veiled" });
    const sha = await commitOn(api, fork, "topic", "more", { as: fay });
    expect((await get(`${base}/pulls/1`)).json.head).toEqual({ ...hidden, sha });
    await api.call("PATCH", `${base}/pulls/1`, { as: alice, body: { state: "closed" } });
    expect((await get(`${base}/pulls/1`)).json.head).toEqual({ ...headless, sha });
    await finishJobs(api);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });
});

describe("adminDeleteUser, of a request's author", () => {
  it("204: their requests stay, by nobody, without the fork; purged, they go with their refs (B-14)", async () => {
    const dora = await api.makeUser({ name: "dora" });
    const kept = await makeForked("kept", dora);
    await api.call("DELETE", kept.fork, { as: dora });
    await finishJobs(api);
    await api.call("DELETE", "/admin/users/dora", { as: admin });
    await finishJobs(api);
    const { json } = await get(`${kept.base}/pulls/1`);
    expect(json).toMatchObject({ user: { login: "Ghost" }, state: "closed", head: headless });

    const emil = await api.makeUser({ name: "emil" });
    const gone = await makeForked("gone", emil);
    await api.call("DELETE", "/admin/users/emil?purge=true", { as: admin });
    await finishJobs(api);
    expect((await get(`${gone.base}/pulls/1`)).status).toBe(404);
    expect((await get(`${gone.base}/git/refs/pull/1/head`)).status).toBe(404);
    expect(await rowsOf(gone.baseId)).toEqual([]);
    for (const { baseId } of [kept, gone]) expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });
});
