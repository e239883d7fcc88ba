import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRelease } from "#core/release/create";
import { editRelease } from "#core/release/edit";
import { removeRelease } from "#core/release/remove";
import type { Repository } from "#core/repository/repository.table";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterAll(() => world.stop());

async function makeRepository(): Promise<Repository> {
  const repository = await world.makeRepository();
  const main = "refs/heads/main";
  await world.push(repository, [{ files: { f: "1" } }], ([id = ""]) => [{ name: main, new: id }]);
  await world.runEvents();
  await world.makeHook(repository, { events: ["release", "create"] });
  return repository;
}

const told = async () =>
  (await world.deliver())
    .map(({ event, payload }) => [
      event,
      payload.action ?? payload.ref,
      payload.release?.body ?? payload.ref_type,
    ])
    .sort();

describe("hooks of releases", () => {
  it("hear of what is published, updated and deleted, and of the tags that come with it; of no draft (semantics §27.4, §43.3)", async () => {
    const { forge, actor } = world;
    const repository = await makeRepository();
    const access = world.accessTo(repository);
    const release = await createRelease(forge, repository, actor, { tagName: "v1", body: "first" });
    const [first] = await world.deliver();
    expect(first?.event === "create" || first?.event === "release").toBe(true);
    await editRelease(forge, access, actor, release.id, { body: "second" });
    const [updated] = await world.deliver();
    expect(updated).toMatchObject({ event: "release", type: "release", payload: { action: "updated" } });
    expect(updated?.payload).toEqual({
      action: "updated",
      release: expect.objectContaining({ id: release.id, tag_name: "v1", body: "second", draft: false }),
      repository: expect.objectContaining({ name: repository.name, release_counter: 1 }),
      sender: expect.objectContaining({ login: "Olga" }),
    });
    await removeRelease(forge, access, actor, release.id);
    expect(await told()).toEqual([["release", "deleted", "second"]]);
    const draft = await createRelease(forge, repository, actor, { tagName: "v2", isDraft: true, body: "d" });
    await editRelease(forge, access, actor, draft.id, { body: "e" });
    expect(await told()).toEqual([]);
    await editRelease(forge, access, actor, draft.id, { isDraft: false });
    expect(await told()).toEqual([
      ["create", "refs/tags/v2", "tag"],
      ["release", "published", "e"],
    ]);
    await editRelease(forge, access, actor, draft.id, { isDraft: true });
    await removeRelease(forge, access, actor, draft.id);
    expect(await told()).toEqual([]);
  });

  it("hear once of a message that comes twice", async () => {
    const { forge, actor } = world;
    const repository = await makeRepository();
    await world.deliver();
    await createRelease(forge, repository, actor, { tagName: "v1" });
    const messages = await world.test.queues.take("repository-events");
    for (const _time of [1, 2]) await forge.queues.send("repository-events", messages);
    await world.test.queues.drain("repository-events", (event) => repositoryEventsWorker(forge, event));
    await world.runDeliveries();
    const events = (await world.deliver()).map(({ event }) => event).sort();
    expect(events).toEqual(["create", "release"]);
  });
});
