import { describe, expect, it } from "vitest";
import { hintedPushes } from "./hinted-pushes.ts";

const { world, bob, cloneOf, toldBy, page } = hintedPushes();

describe("what git prints after a push of a branch", () => {
  it("the address to open a pull request, then that of the request; nothing for the default branch, a tag, a deletion", async () => {
    const path = await world.makeRepository("plain");
    const copy = await cloneOf("alice/plain", world.alice);
    await copy.commit({ a: "a" });
    expect(await toldBy(copy, "HEAD:main", "HEAD:refs/tags/v1")).toEqual([]);
    await copy.commit({ b: "b" });
    expect(await toldBy(copy, "HEAD:feature/\u00e4")).toEqual([
      "To open a pull request from 'feature/\u00e4':",
      page("alice/plain/compare/main...feature/%C3%A4"),
    ]);
    const number = await world.open(path, "feature/\u00e4", "main");
    await copy.commit({ c: "c" });
    expect(await toldBy(copy, "HEAD:feature/\u00e4")).toEqual([
      "The pull request from 'feature/\u00e4' into 'main':",
      page(`alice/plain/pulls/${number}`),
    ]);
    expect(await toldBy(copy, ":feature/\u00e4")).toEqual([]);
  });

  it("of a fork those at the repository that it was forked from", async () => {
    const path = await world.makeRepository("upstream");
    await world.api.call("POST", `${path}/forks`, { as: bob, body: {} });
    const copy = await cloneOf("bob/upstream", bob);
    await copy.commit({ b: "b" });
    expect(await toldBy(copy, "HEAD:work")).toEqual([
      "To open a pull request from 'work':",
      page("alice/upstream/compare/main...bob%3Awork"),
    ]);
    const number = await world.open(path, "bob:work", "main", bob);
    await copy.commit({ c: "c" });
    expect((await toldBy(copy, "HEAD:work"))[1]).toBe(page(`alice/upstream/pulls/${number}`));
  });
});
