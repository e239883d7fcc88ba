import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import { rateLimited } from "#core/errors";
import type { Forge } from "#core/forge";
import { createPull } from "#core/pull/create";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

/** The forge of a caller who has no turn to compute. */
const withoutTurns = (): Forge => ({
  ...api.forge,
  compute: async () => {
    throw rateLimited("too much computing", 2);
  },
});

describe("repoCreatePullRequest, by a caller who has computed too much", () => {
  it("429 and opens nothing where code owners would have to be found: nobody gets around them", async () => {
    const id = await makeRepository(api, alice, "owned");
    await pushFiles(api, alice, "owned", { files: { CODEOWNERS: ".* @alice\n" } });
    const files = { "a.txt": "a\n" };
    await pushFiles(api, alice, "owned", { branch: "topic", from: "main", files });
    const actor = { user: alice.user };
    const access = await findAccessById(api.forge, actor, id);
    if (access === undefined) throw new Error("no access");
    const given = { title: "t", base: "main", head: "topic" };
    const opening = createPull(withoutTurns(), access, given, actor);
    await expect(opening).rejects.toMatchObject({ code: "rate-limited" });
    const { json } = await api.call("GET", "/repos/alice/owned/pulls?state=all", { as: alice });
    expect(json).toEqual([]);
    const { pull } = await createPull(withoutTurns(), access, { ...given, title: "WIP: t" }, actor);
    expect(pull.isDraft).toBe(true);
  });
});
