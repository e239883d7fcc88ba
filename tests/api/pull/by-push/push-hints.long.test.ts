import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { hintedPushes } from "./hinted-pushes.ts";

const { world, bob, cloneOf, toldBy, page } = hintedPushes();
const repository = (name: string, as: Caller, body: object) => world.api.call("PATCH", name, { as, body });

describe("what git prints after a push of a branch", () => {
  it("a bounded number of them, however many branches are pushed", async () => {
    await world.makeRepository("many");
    const copy = await cloneOf("alice/many", world.alice);
    const refs = Array.from({ length: 12 }, (_, at) => `HEAD:refs/heads/b${at}`);
    expect(await toldBy(copy, ...refs)).toHaveLength(10);
  });

  it("nothing of a repository that the pusher may not see, and nothing where there are no pull requests", async () => {
    const path = await world.makeRepository("veiled");
    await world.api.call("POST", `${path}/forks`, { as: bob, body: {} });
    const copy = await cloneOf("bob/veiled", bob);
    await copy.commit({ b: "b" });
    await copy.git("push", "-q", "origin", "HEAD:work");
    await world.open(path, "bob:work", "main", bob);
    await repository(path, world.alice, { private: true });
    await copy.commit({ c: "c" });
    const told = await toldBy(copy, "HEAD:work");
    expect(told).toEqual(["To open a pull request from 'work':", page("bob/veiled/compare/main...work")]);
    await repository("/repos/bob/veiled", bob, { has_pull_requests: false });
    await copy.commit({ d: "d" });
    expect(await toldBy(copy, "HEAD:work")).toEqual([]);
    await repository(path, world.alice, { private: false, has_pull_requests: false });
    await copy.commit({ e: "e" });
    expect(await toldBy(copy, "HEAD:work")).toEqual([]);
  });
});
