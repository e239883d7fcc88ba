import { afterAll, beforeAll, expect, it } from "vitest";
import { createHook } from "#core/hook/hook";
import { linkPackage } from "#core/package/link";
import { getPackage } from "#core/package/package";
import { publishFile } from "#core/package/publish";
import { removePackage } from "#core/package/remove-package";
import { hashedContent } from "../packages/hashed-content.ts";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterAll(() => world.stop());

it("hooks of the owner, of the system and of a linked repository hear of each version that comes and goes (semantics §27.4, §59.3)", async () => {
  const { forge, owner, actor, receiver } = world;
  const repository = await world.makeRepository();
  await world.makeHook(repository, { events: ["package"] });
  const settings = { type: "gitea", contentType: "json", isActive: true, events: ["package"] };
  await createHook(forge, { kind: "user", id: owner.id }, { ...settings, url: `${receiver.url}/of-owner` });
  await createHook(forge, { kind: "system" }, { ...settings, url: `${receiver.url}/of-system` });
  const publish = async (version: string, fileName: string) =>
    publishFile(forge, owner, actor, {
      ...{ type: "generic", name: "tool", version, fileName, takesMoreFiles: true },
      file: await hashedContent(`${version} ${fileName}`),
    });
  const told = async () => (await world.deliver()).map(({ path }) => path.split("/").at(-1)).sort();

  await publish("1", "a");
  const [first, ...others] = await world.deliver();
  expect(first).toMatchObject({ event: "package", type: "package" });
  expect(first?.payload).toEqual({
    action: "created",
    repository: null,
    package: expect.objectContaining({ type: "generic", name: "tool", version: "1", repository: null }),
    organization: expect.objectContaining({ login: owner.name }),
    sender: expect.objectContaining({ login: owner.name }),
  });
  expect(others.length).toBe(1);
  await publish("1", "b");
  expect(await told()).toEqual([]);

  const named = await getPackage(forge, { ownerId: owner.id, type: "generic", name: "tool" });
  await linkPackage(forge, named, repository.id);
  await publish("2", "a");
  const heard = await world.deliver();
  expect(heard.length).toBe(3);
  expect(heard[0]?.payload.repository).toMatchObject({ name: repository.name });

  await removePackage(forge, actor, named);
  const removed = await world.deliver();
  const versions = removed.map(({ payload }) => [payload.action, payload.package.version]);
  expect(versions.sort()).toEqual([
    ...["1", "1", "1"].map((version) => ["deleted", version]),
    ...["2", "2", "2"].map((version) => ["deleted", version]),
  ]);
});
