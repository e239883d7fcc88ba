import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { commitOn, makeBase, openPull } from "./make.ts";

let api: TestApi;
let alice: Caller;
let base: string;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  base = await makeBase(api, alice, "base");
  await commitOn(api, base, "topic", "topic", { as: alice });
});
afterAll(() => api.stop());

/** The assignees of a request that alice has, after an edit. */
async function assigneesAfter(edit: object): Promise<string[]> {
  const { number } = await openPull(api, base, { as: alice });
  const send = (body: object) => api.call("PATCH", `${base}/pulls/${number}`, { as: alice, body });
  await send({ assignees: ["alice"] });
  const { json } = await send(edit);
  await send({ state: "closed" });
  return json.assignees.map(({ login }: { login: string }) => login);
}

describe("repoEditPullRequest", () => {
  // The Go SDK has no way to leave them out.
  it("201: keeps its assignees when all unset members of a Go struct come with another title", async () => {
    const unset = { body: null, base: "", assignee: "", assignees: null, milestone: 0, labels: null };
    expect(await assigneesAfter({ title: "Another", ...unset })).toEqual(["alice"]);
  });

  it("201: an empty list takes them all away", async () => {
    expect(await assigneesAfter({ assignee: "", assignees: [] })).toEqual([]);
  });
});
