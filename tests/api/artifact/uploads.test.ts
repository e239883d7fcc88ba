import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findArtifactOfRun } from "#core/artifact/artifact";
import { confirmArtifact } from "#core/artifact/confirm";
import { openArtifact } from "#core/artifact/open";
import { orderArtifactPieces } from "#core/artifact/pieces";
import { removeArtifactsOfRun } from "#core/artifact/remove";
import { tick } from "#functions/workers/tick";
import { type ArtifactWorld, sha256, startArtifacts } from "./world.ts";

let world: ArtifactWorld;
beforeAll(async () => {
  world = await startArtifacts();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const hour = 3_600_000;
const later = async (ms: number) => {
  world.api.clock.advance(ms);
  await tick(world.api.forge);
};
const listed = async (path = "actions/artifacts") =>
  (await world.call("GET", path)).json.artifacts.map(({ name }: { name: string }) => name);

describe("an upload", () => {
  it("of a piece is an artifact once it is confirmed with its hash, and nobody's before (semantics §62.5-1)", async () => {
    const { forge } = world.api;
    const upload = await world.open(7, "logs");
    await world.add(upload, "appended", "zipped");
    expect([await listed(), await world.usage()]).toEqual([[], [0, 0]]);
    expect((await world.call("GET", `actions/artifacts/${upload.id}`)).status).toBe(404);
    expect((await world.call("DELETE", `actions/artifacts/${upload.id}`)).status).toBe(404);
    const made = await confirmArtifact(forge, upload, { sizeBytes: 6, sha256: sha256("zipped") });
    expect([made.id, await listed(), await world.usage()]).toEqual([upload.id, ["logs"], [1, 6]]);
    expect(await world.bytes(made.id)).toBe("zipped");
    expect(await confirmArtifact(forge, upload, { sha256: sha256("zipped") })).toEqual(made);
    await expect(confirmArtifact(forge, upload, { sha256: sha256("other") })).rejects.toThrow("SHA-256");
    await world.expectWhole();
  });

  it("of blocks is joined in the order of their list, of the last that came for each (semantics §62.5-2)", async () => {
    const { forge } = world.api;
    const upload = await world.open(7, "blocks");
    const halves = ["a".repeat(300_000), "b".repeat(200_000)];
    await Promise.all([
      world.add(upload, { block: "second" }, halves[1] ?? ""),
      world.add(upload, { block: "unused" }, "unused"),
      world.add(upload, { block: "first" }, "overwritten"),
    ]);
    await world.add(upload, { block: "first" }, halves[0] ?? "");
    await expect(confirmArtifact(forge, upload, {})).rejects.toThrow("no list of its blocks");
    await orderArtifactPieces(forge, upload, ["first", "missing"]);
    await expect(confirmArtifact(forge, upload, {})).rejects.toThrow("was not uploaded");
    await orderArtifactPieces(forge, upload, ["first", "second"]);
    const made = await confirmArtifact(forge, upload, { sizeBytes: 500_000 });
    expect([made.sha256, await world.usage()]).toEqual([sha256(halves.join("")), [1, 500_000]]);
    expect(await world.bytes(made.id)).toBe(halves.join(""));
    await later(3 * hour);
    expect(await world.left()).toEqual([2, 1]);
    expect(await world.bytes(made.id)).toBe(halves.join(""));
    await world.expectWhole();
  });

  it("that was confirmed without a hash is confirmed again with it, and refused with another", async () => {
    const { forge } = world.api;
    for (const pieces of [["zipped"], ["zip", "ped"]]) {
      const upload = await world.open(7, `unhashed ${pieces.length}`);
      for (const bytes of pieces) await world.add(upload, "appended", bytes);
      const made = await confirmArtifact(forge, upload, { sizeBytes: 6 });
      expect(await confirmArtifact(forge, upload, { sha256: sha256("zipped") })).toEqual(made);
      await expect(confirmArtifact(forge, upload, { sha256: sha256("x") })).rejects.toThrow("SHA-256");
      await expect(confirmArtifact(forge, upload, { sizeBytes: 5 })).rejects.toThrow("6 bytes, not 5");
    }
  });

  it("with a wrong size or hash stays open, and nobody sees it (semantics §62.5-3)", async () => {
    const { forge } = world.api;
    const upload = await world.open(7, "wrong");
    for (const bytes of ["one", "two"]) await world.add(upload, "appended", bytes);
    await expect(confirmArtifact(forge, upload, { sizeBytes: 5 })).rejects.toThrow("6 bytes, not 5");
    const before = await world.left();
    for (const _time of [1, 2, 3])
      await expect(confirmArtifact(forge, upload, { sha256: sha256("x") })).rejects.toThrow("SHA-256");
    expect(await world.left()).toEqual(before);
    expect([await listed(), await world.usage()]).toEqual([[], [0, 0]]);
    await confirmArtifact(forge, upload, { sha256: sha256("onetwo") });
    expect([await listed(), await world.usage()]).toEqual([["wrong"], [1, 6]]);
    await later(3 * hour);
    expect(await world.left()).toEqual([2, 1]);
  });

  it("under a name that the run has takes the artifact's place, with its id (semantics §62.2)", async () => {
    const { forge } = world.api;
    const first = await world.make("logs", { runId: 7 });
    const other = await world.make("logs", { runId: 8 });
    const again = await world.open(7, "logs");
    expect([again.id, await listed(), await world.usage()]).toEqual([first.id, ["logs"], [1, 6]]);
    await expect(world.add(first, "appended", "late")).rejects.toThrow("no such artifact");
    await world.add(again, "appended", "newer bytes");
    await expect(confirmArtifact(forge, first, {})).rejects.toThrow("no such artifact");
    await confirmArtifact(forge, again, {});
    expect([await world.bytes(first.id), await world.bytes(other.id)]).toEqual(["newer bytes", "zipped"]);
    expect(await world.usage()).toEqual([2, 17]);
    await later(3 * hour);
    expect(await world.left()).toEqual([4, 2]);
    await world.expectWhole();
  });

  it("is refused: bad names, too many bytes, what is not open", async () => {
    const { forge } = world.api;
    for (const name of [
      "",
      " ",
      "a/b",
      "a\\b",
      'a"b',
      "a:b",
      "a<b",
      "a|b",
      "a*b",
      "a?b",
      "a\nb",
      "x".repeat(256),
    ])
      await expect(world.open(7, name), name).rejects.toThrow("an artifact's name");
    const upload = await world.open(7, "large");
    const half = Buffer.alloc(2 ** 19);
    await world.add(upload, "appended", half);
    await world.add(upload, { block: "b" }, half);
    await expect(world.add(upload, { block: "b" }, "x")).rejects.toThrow("at most 1 MiB");
    await expect(orderArtifactPieces(forge, upload, Array(4_001).fill("b"))).rejects.toThrow(
      "at most 4000 pieces",
    );
    await confirmArtifact(forge, upload, {});
    await expect(orderArtifactPieces(forge, upload, ["b"])).rejects.toThrow("no such artifact");
    expect(await world.usage()).toEqual([1, 2 ** 19]);
  });

  it("that is never finished is gone after a day, with its pieces", async () => {
    const upload = await world.open(7, "abandoned");
    await world.add(upload, "appended", "piece");
    await later(23 * hour);
    expect(await world.left()).toEqual([3, 1]);
    await later(2 * hour);
    expect(await world.left()).toEqual([0, 0]);
    expect(await findArtifactOfRun(world.api.forge, world.id, 7, "abandoned")).toBeUndefined();
    await world.expectWhole();
  });
});

describe("an artifact", () => {
  it("expires after its days: listed, without a file and uncounted", async () => {
    const { forge } = world.api;
    const upload = await openArtifact(forge, world.id, { runId: 7, name: "short", keptDays: 2 });
    await world.add(upload, "appended", "zipped");
    await confirmArtifact(forge, upload, {});
    const { id } = await world.make("long");
    const shown = async () => (await world.call("GET", `actions/artifacts/${upload.id}`)).json;
    const before = await shown();
    expect(Date.parse(before.expires_at) - Date.parse(before.created_at)).toBe(48 * hour);
    world.api.clock.advance(48 * hour);
    expect(await shown()).toEqual({ ...before, expired: true });
    expect((await world.call("GET", `actions/artifacts/${upload.id}/zip`)).status).toBe(404);
    await later(0);
    expect(await world.usage()).toEqual([1, 6]);
    await later(3 * hour);
    expect([await world.left(), await listed()]).toEqual([
      [4, 1],
      ["long", "short"],
    ]);
    expect(await world.bytes(id)).toBe("zipped");
    await world.expectWhole();
    expect((await world.call("DELETE", `actions/artifacts/${upload.id}`)).status).toBe(204);
    expect([await listed(), await world.usage()]).toEqual([["long"], [1, 6]]);
    await later(91 * 24 * hour);
    await later(3 * hour);
    expect([await world.left(), await world.usage()]).toEqual([
      [2, 0],
      [0, 0],
    ]);
    await world.expectWhole();
  });

  it("goes with its run, pending or not", async () => {
    await world.make("a", { runId: 7 });
    await world.open(7, "pending");
    await world.make("b", { runId: 70 });
    while (await removeArtifactsOfRun(world.api.forge, world.id, 7));
    expect([await listed(), await world.usage()]).toEqual([["b"], [1, 6]]);
    await later(25 * hour);
    expect(await world.left()).toEqual([2, 1]);
    await world.expectWhole();
  });
});
