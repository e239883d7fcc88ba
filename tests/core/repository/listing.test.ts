import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noReach } from "#core/access/reach";
import type { Actor } from "#core/actor";
import * as repositories from "#core/repository/repository";
import { countsKey, repositoryKey } from "#core/repository/repository.table";
import { update } from "#core/table";
import * as users from "#core/user/user";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { makeCommit } from "./commits.ts";

let world: TestForge;
let alice: Actor;

beforeAll(async () => {
  world = await makeForge();
  const given = { name: "alice", email: "alice@example.com", password: "correct-horse-9" };
  alice = { user: await users.create(world.forge, given) };
});
afterAll(() => world.stop());

const create = (name: string) => repositories.create(world.forge, alice, alice.user, { name });

async function sortedBy(by: "size" | "updated"): Promise<string[]> {
  const { items } = await repositories.search(world.forge, alice, { sort: { by } }, { page: 1, limit: 50 });
  return items.map((one) => one.repository.name);
}

describe("noteActivity", () => {
  it("brings size and time of a push into the order of lists, through the worker", async () => {
    const [first, second] = [await create("first"), await create("second")];
    expect(await sortedBy("size")).toEqual(["first", "second"]);
    world.clock.advance(5_000);
    const { id, pack } = makeCommit();
    const changes = [{ name: "refs/heads/main", new: id }];
    await repositories.push(world.forge, first, alice, { changes, pack });
    const work = (event: Parameters<typeof repositoryEventsWorker>[1]) =>
      repositoryEventsWorker(world.forge, event);
    expect((await world.queues.drain("repository-events", work)).failed).toBe(0);
    expect(await sortedBy("size")).toEqual(["second", "first"]);
    expect(await sortedBy("updated")).toEqual(["second", "first"]);
    world.clock.advance(5_000);
    await repositories.edit(world.forge, alice, second, { description: "words" });
    expect(await sortedBy("updated")).toEqual(["first", "second"]);
    expect(await sortedBy("size")).toEqual(["second", "first"]);
  });

  it("costs a push three requests and one write unit: less than to find out whether another push is about to", async () => {
    const { id } = await create("busy");
    const { usage } = await measured(() => repositories.noteActivity(world.forge, id));
    const operations = { "dynamodb:GetItem": 1, "dynamodb:BatchGetItem": 1, "dynamodb:PutItem": 1 };
    expect(usage).toMatchObject({ operations, tableReadUnits: 3, tableWriteUnits: 1 });
  });

  it("says nothing of a repository that is gone", async () => {
    const gone = await create("gone");
    await repositories.remove(world.forge, alice, gone);
    await repositories.noteActivity(world.forge, gone.id);
    const activity = await world.forge.table.queryAll({ pk: "DIR#repo", prefix: "TA#" });
    expect(activity.map((item) => Number(item.sk.slice(2)))).not.toContain(gone.id);
  });
});

const rules = { reach: noReach, mayKnow: () => true };

describe("findAllDetails", () => {
  it("reads 50 repositories in one round trip of two requests, in the order asked, without those that are gone", async () => {
    const made: number[] = [];
    for (let at = 0; at < 50; at += 1) made.push((await create(`many-${at}`)).id);
    const references = made.toReversed().map((repositoryId) => ({ repositoryId, ownerId: alice.user.id }));
    const { result, usage } = await measured(() =>
      repositories.findAllDetails(world.forge, alice, references, rules),
    );
    expect(result.map((one) => one.repository.id)).toEqual(made.toReversed());
    expect(usage.operations).toEqual({ "dynamodb:BatchGetItem": 2 });
    const [one] = result;
    if (one === undefined) throw new Error("no details");
    await repositories.remove(world.forge, alice, one.repository);
    const moved = { repositoryId: made[0] ?? 0, ownerId: 999 };
    const left = await repositories.findAllDetails(
      world.forge,
      alice,
      [...references.slice(0, 3), moved],
      rules,
    );
    expect(left.map((two) => two.repository.id)).toEqual(made.toReversed().slice(1, 3));
  });

  it("adds up the counts of all parts", async () => {
    const { id } = await create("counted");
    const { table } = world.forge;
    await table.write(update(repositoryKey(id), { set: { shards: 3 } }));
    for (const shard of [0, 2]) await table.write(update(countsKey(id, shard), { add: { openIssues: 2 } }));
    const reference = { repositoryId: id, ownerId: alice.user.id };
    const [found] = await repositories.findAllDetails(world.forge, alice, [reference], rules);
    expect(found?.counts).toMatchObject({ openIssues: 4, stars: 0 });
  });
});
