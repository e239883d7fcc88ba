import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { git, tryGit, WorkingCopy } from "#tests/git/http/real-git";
import { type Pair, Peers } from "./pair.ts";
import { ask, commandOf, readAnswer } from "./raw-fetch.ts";

let peers: Peers;
let pair: Pair;
let work: WorkingCopy;
const commits: string[] = [];
beforeAll(async () => {
  peers = await Peers.start();
  pair = await peers.create("sha1");
  work = await WorkingCopy.init(peers.folders);
  const text = Array.from({ length: 400 }, (_, line) => `line ${line * 7919}\n`);
  for (let number = 0; number < 6; number++) {
    text[number * 7] = `changed in ${number}\n`;
    commits.push(await work.commit({ "long.txt": text.join(""), "dir/long.txt": `${text.join("")}.` }));
  }
  await work.git("push", "-q", pair.urls[0], `${commits[2]}:refs/heads/old`);
  await pair.push(work.folder, "main");
});
afterAll(() => peers.stop());

const fetchAll = async (args: readonly string[], keys: readonly string[] = []) =>
  readAnswer(await ask(pair.urls[0], commandOf("sha1", "fetch", args, keys)), args.includes("sideband-all"));

describe("deltas rest on what the other side surely has", () => {
  const thin = () => ["thin-pack", "ofs-delta", `want ${commits[5]}`, `have ${commits[2]}`, "done"];

  /** Whether git reads a pack on its own, with no object around it. */
  const standsAlone = async (pack: Buffer) => {
    const folder = await peers.folders.make();
    await git(folder, ["init", "-q", "--bare"]);
    return (await tryGit(folder, ["index-pack", "--stdin"], { input: pack })).code === 0;
  };

  it("so a thin pack rests on the client's objects", async () => {
    expect(await standsAlone((await fetchAll(thin())).pack)).toBe(false);
  });

  it.each(["blob:none", "blob:limit=1g", "tree:2", "combine:tree:9+blob:limit%3D1g"])(
    "but with the filter %s on none of them, whatever it lets through",
    async (filter) => {
      const { pack } = await fetchAll([...thin(), `filter ${filter}`]);
      expect(await standsAlone(pack)).toBe(true);
    },
  );

  it("nor on what lies below a border of a shallow client", async () => {
    const { pack } = await fetchAll([
      "thin-pack",
      "ofs-delta",
      `want ${commits[1]}`,
      `want ${commits[5]}`,
      `have ${commits[4]}`,
      `shallow ${commits[4]}`,
      "done",
    ]);
    const client = await peers.folders.make();
    const url = pair.urls[0];
    await git(client, ["init", "-q", "--bare"]);
    await git(client, ["fetch", "-q", "--depth=1", url, commits[4] as string]);
    await git(client, ["index-pack", "--stdin", "--fix-thin"], { input: pack });
    await git(client, ["cat-file", "-e", `${commits[1]}:dir/long.txt`]);
    await git(join(client), ["fsck", "--full"]);
  });
});
