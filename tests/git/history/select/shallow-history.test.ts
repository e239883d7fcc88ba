import { describe, expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { type Deepening, shallowHistory, wholeDepth } from "#core/git/history/select/shallow-history";
import { gitText } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { makeWorld } from "./selection-suite.ts";

const all = async (ids: readonly ObjectId[]) => ids;

describe("shallowHistory", () => {
  const random = createRandom();

  it(`counts a commit's depth by its shortest way from any want (SEED=${random.seed})`, async () => {
    const { folder, packs, refs } = await makeWorld("sha1", random);
    const branches = refs.filter(({ name }) => name.startsWith("refs/heads/")).map(({ id }) => id);
    const listed = await gitText(folder, ["log", "--all", "--format=%H %P"]);
    const parents = new Map(listed.split("\n").map((line) => [line.slice(0, 40), line.slice(41).split(" ")]));
    for (let round = 0; round < 20; round++) {
      const wants = [random.pick(branches), random.pick(branches)];
      const depth = 1 + random.integer(8);
      let level = new Set(wants);
      const nearer = new Set<ObjectId>();
      for (let at = 1; at < depth; at++) {
        for (const id of level) nearer.add(id);
        const next = [...level].flatMap((id) => parents.get(id) ?? []).filter((id) => id !== "");
        level = new Set(next.filter((id) => !nearer.has(id)));
      }
      const deepening: Deepening = { kind: "depth", depth, isRelative: false };
      const history = await shallowHistory({ packs, wants, borders: [], deepening, findVisible: all });
      expect([...(history?.shallow ?? [])].sort()).toEqual([...level].sort());
    }
  });

  it("lets no border fall that the client may not look behind", async () => {
    const { packs, refs } = await makeWorld("sha1", random);
    const borders = refs.filter(({ name }) => /c(?:5|9)$/.test(name)).map(({ id }) => id);
    const request = {
      packs,
      wants: [],
      borders,
      deepening: { kind: "depth", depth: wholeDepth, isRelative: false },
    };
    const some = async (ids: readonly ObjectId[]) => ids.slice(0, 1);
    const history = await shallowHistory({ ...request, findVisible: some } as never);
    expect(history?.unshallow).toEqual(borders.slice(0, 1));
    expect(history?.cuts).toEqual(new Set(borders));
  });

  it("stops when its caller has left", async () => {
    const { packs, refs } = await makeWorld("sha1", random);
    const wants = [refs[0]?.id ?? ""];
    const signal = AbortSignal.abort(new Error("gone"));
    const deepening: Deepening = { kind: "depth", depth: 3, isRelative: false };
    const asked = shallowHistory({ packs, wants, borders: [], deepening, findVisible: all, signal });
    await expect(asked).rejects.toThrow("gone");
  });
});
