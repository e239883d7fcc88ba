import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHook } from "#core/hook/hook";
import { createOrganization } from "#core/organization/create";
import { createRepository } from "#core/repository/create";
import { removeRepository } from "#core/repository/removal/remove";
import { createUser } from "#core/user/create";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterAll(() => world.stop());

/** A hook for repositories that come and go, on a parent, told apart by the path that it posts to. */
const hookOf = (parent: Parameters<typeof createHook>[1], path: string, isActive = true) =>
  createHook(world.forge, parent, {
    ...{ type: "forgejo", url: `${world.receiver.url}${path}`, contentType: "json", secret: "s" },
    ...{ events: ["repository"], isActive },
  });

describe("hooks of owners and of the system (semantics §27.1, §27.10-7)", () => {
  it("hear of the repositories that their owner has, or of all; those of others, and defaults, of nothing", async () => {
    const { forge, owner, actor } = world;
    const organization = await createOrganization(forge, owner, { name: "acme" });
    const stranger = await createUser(forge, {
      ...{ name: "Otto", email: "otto@example.com", password: "correct-horse-9" },
    });
    await hookOf({ kind: "user", id: owner.id }, "user");
    await hookOf({ kind: "user", id: stranger.id }, "stranger");
    await hookOf({ kind: "organization", id: organization.id }, "organization");
    await hookOf({ kind: "system" }, "system");
    await hookOf({ kind: "system" }, "asleep", false);
    await hookOf({ kind: "default" }, "default");

    const told = async () =>
      (await world.deliver()).map(({ path, payload }) => `${path} ${payload.action}`).toSorted();
    const own = await createRepository(forge, actor, owner, { name: "own", isPrivate: true });
    expect(await told()).toEqual(["/default created", "/system created", "/user created"]);
    await createRepository(forge, actor, organization, { name: "theirs" });
    expect(await told()).toEqual(["/default created", "/organization created", "/system created"]);
    await removeRepository(forge, actor, own);
    expect(await told()).toEqual(["/default deleted", "/system deleted", "/user deleted"]);
  });
});
