import { expect } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { HookSettings } from "#core/hook/hook";
import { createIssue } from "#core/issue/issue";
import type { HookWorld } from "./hook-world.ts";

/** A repository, what the owner may do on it, and a hook; what was told so far is behind it. */
export async function hooked(world: HookWorld, settings: Partial<HookSettings> = {}) {
  const repository = await world.makeRepository();
  await world.deliver();
  const hook = await world.makeHook(repository, settings);
  return { repository, access: world.accessTo(repository), hook };
}

export const openIssue = (world: HookWorld, access: RepositoryAccess, body = "Text") =>
  createIssue(world.forge, access, { title: "Title", body }, world.actor);

/** An issue that was opened, which nobody has told the hook of; `received` answers what came of it. */
export async function issueToTell(world: HookWorld) {
  const made = await hooked(world);
  const before = world.receiver.requests.length;
  await openIssue(world, made.access);
  return { ...made, received: () => world.receiver.requests.slice(before) };
}

/** Works on everything until both queues are empty, moving the clock past leases each time. */
export async function settled(world: HookWorld): Promise<void> {
  for (let handled = 1; handled > 0; ) {
    world.test.clock.advance(400_000);
    const [events, deliveries] = [await world.runEvents(), await world.runDeliveries()];
    handled = events.done + events.failed + deliveries.done + deliveries.failed;
  }
}

type When = "before" | "after";

/** Kills the worker of events at one of its writes. */
export async function deliversOnceThough(world: HookWorld, when: When, write: number): Promise<void> {
  const { received, hook } = await issueToTell(world);
  world.test.faults.crashAt(write, when);
  await world.runEvents();
  expect(world.test.faults.hasCrashed).toBe(true);
  world.test.faults.recover();
  await settled(world);
  expect(received().length).toBe(1);
  expect((await world.deliveriesOf(hook)).map(({ state }) => state)).toEqual(["answered"]);
}

/** Kills the worker of webhooks at one of its writes; so many requests reach the receiver. */
export async function deliversThough(
  world: HookWorld,
  when: When,
  write: number,
  requests: number,
): Promise<void> {
  const { received, hook } = await issueToTell(world);
  await world.runEvents();
  world.test.faults.crashAt(write, when);
  await world.runDeliveries();
  expect(world.test.faults.hasCrashed).toBe(true);
  world.test.faults.recover();
  await settled(world);
  const [delivery] = await world.deliveriesOf(hook);
  expect(delivery?.state).toBe("answered");
  expect(received().map(({ headers }) => headers["x-forgejo-delivery"])).toEqual(
    Array(requests).fill(delivery?.id),
  );
}
