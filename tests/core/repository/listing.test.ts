import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import { noVisibleRepositories } from "#core/access/visible-repositories";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { type ActivityItem, activityKey } from "#core/list-index/list-index.table";
import { createRepository } from "#core/repository/create";
import { findDetailsOfRepositories } from "#core/repository/details";
import { editRepository } from "#core/repository/edit";
import { forkRepository } from "#core/repository/fork/fork";
import { noteRepositoryActivity } from "#core/repository/listing/index-writes";
import { repositoryAt } from "#core/repository/listing/repository-entry";
import { searchRepositories } from "#core/repository/listing/search";
import { pushToRepository } from "#core/repository/push";
import { removeRepository } from "#core/repository/removal/remove";
import {
  cardKey,
  countsKey,
  type Repository,
  type RepositoryCard,
  repositoryKey,
} from "#core/repository/repository.table";
import { createStar } from "#core/star/star";
import type { Table } from "#core/table";
import { update } from "#core/table/write";
import { createUser } from "#core/user/create";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { makeCommit } from "./commits.ts";

let world: TestForge;
let alice: Actor;

beforeAll(async () => {
  world = await makeForge();
  alice = await makeActor("alice");
});
afterAll(() => world.stop());

async function makeActor(name: string): Promise<Actor> {
  const given = { name, email: `${name}@example.com`, password: "correct-horse-9" };
  return { user: await createUser(world.forge, given) };
}

async function push(repository: Repository, branch: string): Promise<void> {
  const { id, pack } = makeCommit({ message: branch });
  const changes = [{ name: `refs/heads/${branch}`, new: id }];
  await pushToRepository(world.forge, repository, alice, { changes, pack });
}

/** Each look at the clock is a millisecond after the last: activities of one millisecond are not told apart. */
function now(): number {
  world.clock.advance(1);
  return world.clock.now();
}

/** Does all that events ask for. */
async function work(): Promise<void> {
  const forge: Forge = { ...world.forge, clock: { ...world.clock, now } };
  const handler = (event: Parameters<typeof repositoryEventsWorker>[1]) =>
    repositoryEventsWorker(forge, event);
  expect((await world.queues.drain("repository-events", handler)).failed).toBe(0);
}

const sizeOf = async ({ ownerId, id }: Repository) =>
  (await world.forge.table.get<RepositoryCard>(cardKey(ownerId, id)))?.gitBytes ?? 0;

/** The size by which lists sort. */
async function listedSizeOf({ id }: Repository): Promise<number | undefined> {
  const item = await world.forge.table.get<ActivityItem>(activityKey("DIR#repo", id));
  const at = repositoryAt.gitBytes - repositoryAt.activity;
  return item === undefined ? undefined : Buffer.from(item.e).readUIntBE(at, 6);
}

const create = (name: string) => createRepository(world.forge, alice, alice.user, { name });

async function sortedBy(by: "size" | "updated"): Promise<string[]> {
  const { items } = await searchRepositories(world.forge, alice, { sort: { by } }, { page: 1, limit: 50 });
  return items.map((one) => one.repository.name);
}

describe("noteActivity", () => {
  it("brings size and time of a push into the order of lists, through the worker", async () => {
    const [first, second] = [await create("first"), await create("second")];
    expect(await sortedBy("size")).toEqual(["first", "second"]);
    world.clock.advance(5_000);
    await push(first, "main");
    await work();
    expect(await sortedBy("size")).toEqual(["second", "first"]);
    expect(await sortedBy("updated")).toEqual(["second", "first"]);
    world.clock.advance(5_000);
    await editRepository(world.forge, alice, second, { description: "words" });
    expect(await sortedBy("updated")).toEqual(["first", "second"]);
    expect(await sortedBy("size")).toEqual(["second", "first"]);
  });

  it("brings the size of a new fork, and of packs that were put together, into the order of lists", async () => {
    const source = await create("source");
    for (let number = 0; number < 16; number += 1) await push(source, `commit-${number}`);
    const bob = await makeActor("bob");
    const access = await findAccessById(world.forge, bob, source.id);
    if (access === undefined) throw new Error("bob sees no source");
    const target = { owner: bob.user, mayCreateRepositories: true };
    const fork = await forkRepository(world.forge, bob, access, target);
    const pushed = await sizeOf(source);
    await work();
    expect(await sizeOf(source)).toBeLessThan(pushed);
    for (const one of [source, fork]) expect(await listedSizeOf(one)).toBe(await sizeOf(one));
  });

  it("costs a push three requests and one write unit: less than to find out whether another push is about to", async () => {
    const { id } = await create("busy");
    const { usage } = await measured(() => noteRepositoryActivity(world.forge, id));
    const operations = { "dynamodb:GetItem": 1, "dynamodb:BatchGetItem": 1, "dynamodb:PutItem": 1 };
    expect(usage).toMatchObject({ operations, tableReadUnits: 3, tableWriteUnits: 1 });
  });

  it("says nothing of a repository that is gone", async () => {
    const gone = await create("gone");
    await removeRepository(world.forge, alice, gone);
    await noteRepositoryActivity(world.forge, gone.id);
    const activity = await world.forge.table.queryAll({ pk: "DIR#repo", prefix: "TA#" });
    expect(activity.map((item) => Number(item.sk.slice(2)))).not.toContain(gone.id);
  });
});

const rules = { visible: noVisibleRepositories, mayKnow: () => true };

describe("findAllDetails", () => {
  it("reads 50 repositories in one round trip of two requests, in the order asked, without those that are gone", async () => {
    const made: number[] = [];
    for (let at = 0; at < 50; at += 1) made.push((await create(`many-${at}`)).id);
    const references = made.toReversed().map((repositoryId) => ({ repositoryId, ownerId: alice.user.id }));
    const { result, usage } = await measured(() =>
      findDetailsOfRepositories(world.forge, alice, references, rules),
    );
    expect(result.map((one) => one.repository.id)).toEqual(made.toReversed());
    expect(usage.operations).toEqual({ "dynamodb:BatchGetItem": 2 });
    const [one] = result;
    if (one === undefined) throw new Error("no details");
    await removeRepository(world.forge, alice, one.repository);
    const moved = { repositoryId: made[0] ?? 0, ownerId: 999 };
    const left = await findDetailsOfRepositories(
      world.forge,
      alice,
      [...references.slice(0, 3), moved],
      rules,
    );
    expect(left.map((two) => two.repository.id)).toEqual(made.toReversed().slice(1, 3));
  });

  it("reads counts and cards eventually consistently, half a unit each, and nothing else (D-LISTED)", async () => {
    const repository = await create("listed");
    const { id } = repository;
    await createStar(world.forge, repository, alice.user.id);
    const { table } = world.forge;
    const lagging: Table = {
      ...table,
      getAll: (keys, options) => table.getAll(options?.isConsistent === false ? [] : keys, options),
    };
    const search = async (forge: Forge) => {
      const asked = { keyword: "listed", sort: { by: "id" } } as const;
      const { items, total } = await searchRepositories(forge, alice, asked, { page: 1, limit: 50 });
      return { total, stars: items.map(({ repository, counts }) => [repository.id, counts.stars]) };
    };
    expect(await search({ ...world.forge, table: lagging })).toEqual({ total: 1, stars: [[id, 0]] });
    expect(await search(world.forge)).toEqual({ total: 1, stars: [[id, 1]] });
    const kept = { ...world.forge, table: { ...table } };
    const cost = async (keyword: string) => {
      const asked = { keyword, sort: { by: "id" } } as const;
      const work = () => searchRepositories(kept, alice, asked, { page: 1, limit: 50 });
      await work();
      return (await measured(work)).usage;
    };
    const [none, one, many] = [await cost("nowhere"), await cost("many-1"), await cost("many-")];
    expect([one.tableReadUnits, many.tableReadUnits].map((units) => units - none.tableReadUnits)).toEqual([
      ...[1 + 11, 1 + 49],
    ]);
    expect([one.tableRequests, many.tableRequests]).toEqual([none.tableRequests + 2, none.tableRequests + 2]);
  });

  it("adds up the counts of all parts", async () => {
    const { id } = await create("counted");
    const { table } = world.forge;
    await table.write(update(repositoryKey(id), { set: { shards: 3 } }));
    for (const shard of [0, 2]) await table.write(update(countsKey(id, shard), { add: { openIssues: 2 } }));
    const reference = { repositoryId: id, ownerId: alice.user.id };
    const [found] = await findDetailsOfRepositories(world.forge, alice, [reference], rules);
    expect(found?.counts).toMatchObject({ openIssues: 4, stars: 0 });
  });
});
