import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWikiPage, editWikiPage, removeWikiPage } from "#core/wiki/change";
import { withWiki } from "#core/wiki/store";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterAll(() => world.stop());

describe("hooks of a wiki", () => {
  it("hear of pages that are created, edited and deleted (semantics §65.2)", async () => {
    const { forge, actor } = world;
    const made = await world.makeRepository();
    const repository = await withWiki(forge, made);
    await world.makeHook(repository, { events: ["wiki"] });
    const page = { title: "Home", content: Buffer.from("text\n"), message: "begin" };
    await createWikiPage(forge, repository, actor, page);
    await editWikiPage(forge, repository, actor, "Home", { ...page, title: "Start", message: "" });
    await removeWikiPage(forge, repository, actor, "Start");
    const told = (await world.deliver()).map(({ event, payload }) => ({
      ...{ event, action: payload.action, page: payload.page, comment: payload.comment },
      repository: payload.repository.name,
      sender: payload.sender.login,
    }));
    const common = { event: "wiki", repository: repository.name, sender: "Olga" };
    expect(told.sort((one, other) => one.action.localeCompare(other.action))).toEqual([
      { ...common, action: "created", page: "Home", comment: "begin" },
      { ...common, action: "deleted", page: "Start", comment: 'Delete page "Start"' },
      { ...common, action: "edited", page: "Start", comment: 'Update "Start"' },
    ]);
  });
});
