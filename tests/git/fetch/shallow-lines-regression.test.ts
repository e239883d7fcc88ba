import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkingCopy } from "#tests/git/http/real-git";
import { type Pair, Peers } from "./pair.ts";
import { ask, commandOf } from "./raw-fetch.ts";

let peers: Peers;
let pair: Pair;
let commits: string[];
beforeAll(async () => {
  peers = await Peers.start();
  pair = await peers.create("sha1");
  const work = await WorkingCopy.init(peers.folders, "sha1");
  commits = await work.commitSeries(4, (number) => ({ a: `${number}\n` }));
  await pair.push(work.folder, "main");
});
afterAll(() => peers.stop());

/** The bytes in front of the pack. */
async function linesOf(url: string, args: readonly string[]): Promise<string> {
  const answer = await ask(url, commandOf("sha1", "fetch", args));
  const [before = ""] = Buffer.from(await answer.arrayBuffer())
    .toString("latin1")
    .split("packfile\n");
  return before;
}

describe("lines of a shallow fetch by protocol 2", () => {
  it.each([
    ["a new border", () => [`want ${commits[3]}`, "deepen 2", "done"]],
    [
      "an old border, and one that is none any more",
      () => [`want ${commits[3]}`, `shallow ${commits[3]}`, `have ${commits[3]}`, "deepen 3", "done"],
    ],
    ["each on its side-band", () => [`want ${commits[3]}`, "deepen 1", "sideband-all", "done"]],
  ])(
    "are byte for byte what git http-backend sends, without line feeds (libgit2 counts them): %s",
    async (_, args) => {
      const [ours, gits] = await Promise.all(pair.urls.map((url) => linesOf(url, args())));
      expect(ours).toBe(gits);
      expect(ours).toMatch(/shallow [0-9a-f]{40}(?!\n)/);
    },
  );
});
