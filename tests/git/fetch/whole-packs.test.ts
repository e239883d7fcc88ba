import { afterAll, beforeAll, expect, it } from "vitest";
import { type PackEntry, packKey } from "#core/git/pack/pack-files";
import { commitPush } from "#core/git/store/push/commit-push";
import { readRoot } from "#core/git/store/store";
import { type GitServer, startGitServer } from "#tests/git/http/git-server";
import { Folders, WorkingCopy } from "#tests/git/http/real-git";
import { ask, commandOf, readAnswer } from "./raw-fetch.ts";

const folders = new Folders();
let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
});

it("a clone of branches and tags gets the pack as it lies while merged pull requests have refs too", async () => {
  const { url, id } = await server.create("pulls");
  const work = await WorkingCopy.init(folders);
  await work.commitSeries(4, (number) => ({ "a.txt": `${number}\n`, [`${number}.txt`]: "x\n" }));
  await work.git("push", "-q", url, "main");
  const [main = "", before = ""] = (await work.git("rev-list", "main")).split("\n");
  const clone = async (filter: string[] = []) => {
    const args = [`want ${main}`, "ofs-delta", "include-tag", "done", ...filter];
    return (await readAnswer(await ask(url, commandOf("sha1", "fetch", args)))).pack;
  };
  const pull = async (number: number, head: string) => {
    const changes = [{ name: `refs/pull/${number}/head`, new: head }];
    await commitPush(server.forge, id, { changes, isAtomic: true, pusherId: 7 });
    expect((await readRoot(server.forge, id))?.isWhollyReachable).toBe(true);
  };
  const [stored] = (await readRoot(server.forge, id))?.packs ?? [];
  const pack = Buffer.from(await server.forge.blobs.get(packKey(stored as PackEntry)));
  await pull(1, before);
  expect((await clone()).equals(pack)).toBe(true);
  expect((await clone(["filter blob:none"])).readUInt32BE(8)).toBe(8);

  await work.git("checkout", "-q", "-b", "open");
  const open = await work.commit({ "open.txt": "not merged yet\n" });
  await work.git("push", "-q", url, "open");
  await pull(2, open);
  await work.git("push", "-q", url, ":open");
  expect((await clone()).readUInt32BE(8)).toBe(pack.readUInt32BE(8));
  expect((await clone(["filter blob:none"])).readUInt32BE(8)).toBe(8);
});
