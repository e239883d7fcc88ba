import { afterAll, beforeAll, expect, it } from "vitest";
import { createHook, removeHook } from "#core/hook/hook";
import type { HookParent } from "#core/hook/hook.table";
import { makeForge, type TestForge } from "#tests/support/forge";

const parent: HookParent = { kind: "repository", id: 1 };
let world: TestForge;
beforeAll(async () => {
  world = await makeForge();
});
afterAll(() => world.stop());

it("hook.remove succeeds when the answer to its write is lost, and says NotFound the second time", async () => {
  const given = { type: "gitea", url: "https://ci.example/", contentType: "json" };
  const { id } = await createHook(world.forge, parent, given);
  for (const operation of ["DeleteItem", "TransactWriteItems"])
    world.faults.inject({ service: "dynamodb", operation, fault: "lost-answer" });
  await removeHook(world.forge, parent, id);
  world.faults.recover();
  await expect(removeHook(world.forge, parent, id)).rejects.toThrow("hook does not exist");
});
