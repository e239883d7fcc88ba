import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { History } from "#core/git/history/history";
import { logPage } from "#core/git/history/log";
import { extendGraph, isGraphDue } from "#core/git/store/commit-graph/extend-graph";
import { graphKey, layerFileKey, readGraphState } from "#core/git/store/commit-graph/graph.table";
import { findGraph, openHistory } from "#core/git/store/commit-graph/load-graph";
import { sweepGraphLayers } from "#core/git/store/commit-graph/sweep-graph";
import { commitPush } from "#core/git/store/push/commit-push";
import { newRoot, type OpenRepository, openRepository, readRoot } from "#core/git/store/store";
import { put, remove } from "#core/table/write";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { makeCommit } from "#tests/git/store/made-objects";
import { makeForge, type TestForge } from "#tests/support/forge";
import { makePack } from "#tests/support/git/make-pack";
import { measured } from "#tests/support/measured";

const hourMs = 3_600_000;
const main = "refs/heads/main";

let on: TestForge;
let lastId = 500;
beforeAll(async () => {
  on = await makeForge();
});
afterAll(() => on.stop());

/** A repository with a line of commits. */
async function create(commits: number, format: ObjectFormat = "sha1") {
  const id = ++lastId;
  await on.forge.table.write(newRoot(id, { format, defaultBranch: "main" }));
  const line = await grow(id, commits, [], format);
  return { id, line };
}

/** Pushes so many commits on top; gives the whole line, oldest first. */
async function grow(id: number, commits: number, line: readonly ObjectId[], format: ObjectFormat = "sha1") {
  const ids = [...line];
  const objects: GitObject[] = [];
  for (let count = 0; count < commits; count++) {
    const made = makeCommit(format, ids.slice(-1));
    ids.push(made.id);
    objects.push(...made.objects);
  }
  const old = line.at(-1);
  const change = { name: main, new: ids.at(-1) as ObjectId, ...(old && { old }) };
  const outcome = await commitPush(on.forge, id, {
    ...{ pack: makePack(format, objects), changes: [change], pusherId: 7 },
  });
  expect(outcome).toMatchObject({ kind: "done" });
  return ids;
}

/** Runs the job's steps until it is done; how many there were. */
async function extend(repositoryId: number): Promise<number> {
  for (let steps = 1; ; steps++) if ("done" in (await extendGraph(on.forge, { repositoryId }))) return steps;
}

const stateOf = (id: number) => readGraphState(on.forge.table, id, { isConsistent: true });
/** The stores of a process that has read nothing yet. */
const fresh = () => ({ ...on.forge, blobs: { ...on.forge.blobs } });

async function logOf(id: number, stores = fresh()): Promise<ObjectId[]> {
  const repository = await openRepository(stores, id);
  if (repository === undefined) throw new Error("there is no repository");
  const tips = [repository.refs.find(main)?.id as ObjectId];
  const history = new History(await repository.packs(), { graph: () => findGraph(stores, id) });
  const { commits } = await logPage(history, { tips, limit: 1_000, paths: ["file.txt"] });
  return commits.map(({ id: commit }) => commit);
}

async function filesOf(id: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of on.forge.blobs.list(`r/${id}/g/`)) keys.push(key);
  return keys;
}

describe("extendGraph", () => {
  it.each(["sha1", "sha256"] as const)(
    "takes in every commit, with one layer more to read (%s)",
    async (format) => {
      const { id, line } = await create(20, format);
      expect(await extend(id)).toBe(1);
      expect((await stateOf(id)).layers).toEqual([{ id: expect.any(String), commits: 20 }]);
      const stores = fresh();
      const { result, usage } = await measured(() => logOf(id, stores));
      expect(result).toEqual(line.toReversed());
      // ROOT and the graph's item; the layer.
      expect([usage.tableRequests, usage.blobReads]).toEqual([2, 1]);
    },
  );

  it("adds what was pushed since; small layers become one", async () => {
    const { id, line } = await create(40);
    await extend(id);
    const [first] = (await stateOf(id)).layers;
    const longer = await grow(id, 4, line);
    expect(await logOf(id)).toEqual(longer.toReversed());
    await extend(id);
    expect((await stateOf(id)).layers).toEqual([first, { id: expect.any(String), commits: 4 }]);
    const longest = await grow(id, 2, longer);
    await extend(id);
    expect((await stateOf(id)).layers).toEqual([first, { id: expect.any(String), commits: 6 }]);
    expect(await logOf(id)).toEqual(longest.toReversed());
    expect(await filesOf(id)).toHaveLength(3);
    on.clock.advance(hourMs + 1);
    expect(await sweepGraphLayers(on.forge)).toBeGreaterThanOrEqual(3);
    expect(await filesOf(id)).toEqual(
      (await stateOf(id)).layers.map((layer) => layerFileKey(id, layer.id)).toSorted(),
    );
  });

  it("of two at a time one is lost, and what it wrote goes", async () => {
    const { id, line } = await create(10);
    await Promise.all([extend(id), extend(id)]);
    expect((await stateOf(id)).layers.map(({ commits }) => commits)).toEqual([10]);
    on.clock.advance(hourMs + 1);
    await sweepGraphLayers(on.forge);
    expect(await filesOf(id)).toHaveLength(1);
    expect(await logOf(id)).toEqual(line.toReversed());
  });

  it.each([
    ["damaged", (key: string) => on.forge.blobs.put(key, randomBytes(2_000))],
    [
      "cut short",
      async (key: string) => on.forge.blobs.put(key, (await on.forge.blobs.get(key)).subarray(0, -9)),
    ],
    ["missing", (key: string) => on.forge.blobs.remove([key])],
  ])(
    "a layer that is %s is done without, told in the log, and made anew after the next push",
    async (_how, harm) => {
      const { id, line } = await create(40);
      await extend(id);
      const longer = await grow(id, 4, line);
      await extend(id);
      const [first, second] = (await stateOf(id)).layers;
      await harm(layerFileKey(id, first?.id as string));
      expect(await logOf(id)).toEqual(longer.toReversed());
      expect(on.logged).toContainEqual(
        expect.objectContaining({ event: "git:graph-damaged", repositoryId: id, layer: first?.id }),
      );
      expect(await stateOf(id)).toMatchObject({ v: 0, objects: 0, layers: [] });
      on.clock.advance(hourMs + 1);
      await extend(id);
      await sweepGraphLayers(on.forge);
      expect((await stateOf(id)).layers.map(({ commits }) => commits)).toEqual([44]);
      expect(await filesOf(id)).not.toContain(layerFileKey(id, second?.id as string));
      expect(await logOf(id)).toEqual(longer.toReversed());
    },
  );

  it("an item of another shape counts as none, and is replaced", async () => {
    const { id, line } = await create(5);
    await on.forge.table.write(put({ ...graphKey(id), e: 3, layers: "?", _v: 2 }));
    expect(await logOf(id)).toEqual(line.toReversed());
    await extend(id);
    expect(await stateOf(id)).toMatchObject({ e: 4, layers: [{ commits: 5 }] });
  });

  it("a reader whose storage fails answers without it", async () => {
    const { id, line } = await create(5);
    await extend(id);
    const stores = fresh();
    const get = async (key: string) => {
      if (key.endsWith(".graph")) throw new Error("no answer");
      return on.forge.blobs.get(key);
    };
    expect(await logOf(id, { ...stores, blobs: { ...stores.blobs, get } })).toEqual(line.toReversed());
    expect(on.logged).toContainEqual(
      expect.objectContaining({ event: "git:graph-unavailable", repositoryId: id }),
    );
  });
});

describe("after a push", () => {
  it("the graph is extended where 2,000 objects came, and not again before as much comes or 64 pushes", async () => {
    const { id } = await create(700);
    const event = { kind: "push", eventId: "e-1", repositoryId: id, actorId: 1, at: 1, version: 1 };
    const due = async () => isGraphDue(on.forge, (await readRoot(on.forge, id)) as never);
    expect(await due()).toBe(true);
    await on.forge.queues.send("repository-events", [event]);
    const drained = await on.queues.drain("repository-events", (batch) =>
      repositoryEventsWorker(on.forge, batch),
    );
    expect(drained.done).toBeGreaterThan(0);
    expect((await stateOf(id)).layers.map(({ commits }) => commits)).toEqual([700]);
    expect(await due()).toBe(false);
    const repository = await openRepository(on.forge, id);
    const history = await openHistory(on.forge, repository as OpenRepository);
    await history.openGraph();
    expect(await history.links(repository?.refs.find(main)?.id as ObjectId)).toMatchObject({
      generation: 700,
    });
    const { v: _v, ...state } = await stateOf(id);
    await on.forge.table.write(put({ ...graphKey(id), ...state, v: -63, _v: 1 }));
    expect(await due()).toBe(false);
    await on.forge.table.write(put({ ...graphKey(id), ...state, objects: 2_099, v: -63, _v: 1 }));
    expect(await due()).toBe(true);
    await on.forge.table.write(remove(graphKey(id)));
    expect(await due()).toBe(true);
  });
});
