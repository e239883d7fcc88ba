import { describe, expect, it } from "vitest";
import { GraphColumns } from "#core/git/history/commit-graph/graph-columns";
import { encodeGraphLayer, GraphLayer } from "#core/git/history/commit-graph/graph-layer";
import { createPack } from "#core/git/pack/create-pack";
import { FileCache } from "#core/git/pack/file-cache";
import { SideFile } from "#core/git/pack/side-file";
import { makeCommit } from "#tests/git/store/made-objects";

const idleMs = 30_000;

/** A cache with a clock that stands still. */
function makeCache(bounds: { mostBytes: number; idleBytes: number }) {
  const clock = { now: 0 };
  const cache = new FileCache(bounds, () => clock.now);
  return { cache, clock, sides: cache.ofKind<SideFile>(), layers: cache.ofKind<GraphLayer>() };
}

/** The side file of a pack with one commit, and a layer with that commit. */
async function makeFiles(): Promise<{ side: SideFile; layer: GraphLayer }> {
  const { id, objects } = makeCommit("sha1");
  const columns = new GraphColumns("sha1");
  const [tree, parents, changedPaths] = ["0".repeat(40), [], Buffer.alloc(800)];
  columns.add({ id, tree, parents, seconds: 1, generation: 1, changedPaths });
  return {
    side: new SideFile(createPack("sha1", objects).side),
    layer: new GraphLayer(await encodeGraphLayer(columns)),
  };
}

const { side, layer } = await makeFiles();
const each = side.byteLength + layer.byteLength;

describe("FileCache", () => {
  it("keeps no more of repositories that came to rest than its lower bound, however many there were", () => {
    const { cache, clock, sides, layers } = makeCache({ mostBytes: 10 * each, idleBytes: 2 * each });
    const held: number[] = [];
    for (let repository = 0; repository < 12; repository++) {
      sides.set(`pack-${repository}`, side);
      layers.set(`layer-${repository}`, layer);
      held.push(cache.byteLength);
      clock.now += idleMs;
    }
    expect(held.slice(0, 2)).toEqual([each, 2 * each]);
    expect(new Set(held.slice(2))).toEqual(new Set([2 * each]));
    expect([sides.get("pack-9"), sides.get("pack-10")]).toEqual([undefined, side]);
  });

  it("keeps of those at work what its upper bound lets it, side files and layers together", () => {
    const { cache, sides, layers } = makeCache({ mostBytes: 10 * each, idleBytes: 2 * each });
    for (let repository = 0; repository < 12; repository++) {
      sides.set(`pack-${repository}`, side);
      layers.set(`layer-${repository}`, layer);
    }
    expect(cache.byteLength).toBe(10 * each);
    expect([sides.get("pack-1"), layers.get("layer-1")]).toEqual([undefined, undefined]);
    expect([sides.get("pack-2"), layers.get("layer-2")]).toEqual([side, layer]);
  });

  it("counts as work what is asked for; a look leaves no trace", () => {
    const { clock, sides } = makeCache({ mostBytes: 10 * each, idleBytes: side.byteLength });
    for (const id of ["asked", "looked-at"]) sides.set(id, side);
    clock.now = idleMs - 1;
    expect([sides.get("asked"), sides.peek("looked-at")]).toEqual([side, side]);
    clock.now = idleMs;
    sides.set("new", side);
    expect([sides.peek("asked"), sides.peek("looked-at"), sides.peek("new")]).toEqual([
      side,
      undefined,
      side,
    ]);
  });

  it("keeps one file that is larger than its lower bound, and none above its upper one", () => {
    const { cache, clock, sides, layers } = makeCache({ mostBytes: side.byteLength, idleBytes: 1 });
    sides.set("pack", side);
    clock.now = 10 * idleMs;
    expect(sides.get("pack")).toBe(side);
    expect(layer.byteLength).toBeLessThan(side.byteLength);
    layers.set("layer", layer);
    expect(cache.byteLength).toBe(layer.byteLength);
    const small = makeCache({ mostBytes: side.byteLength - 1, idleBytes: 1 });
    small.sides.set("pack", side);
    expect(small.cache.byteLength).toBe(0);
  });

  it("gives each kind ids of its own, and forgets one or all", () => {
    const { cache, sides, layers } = makeCache({ mostBytes: 10 * each, idleBytes: 10 * each });
    sides.set("one", side);
    layers.set("one", layer);
    expect([sides.get("one"), layers.get("one")]).toEqual([side, layer]);
    sides.delete("one");
    expect([sides.get("one"), layers.get("one")]).toEqual([undefined, layer]);
    cache.clear();
    expect([layers.get("one"), cache.byteLength]).toEqual([undefined, 0]);
  });
});
