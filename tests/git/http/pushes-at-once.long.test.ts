import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { holdTimeStill } from "#tests/support/still-time";
import { type GitServer, startGitServer } from "./git-server.ts";
import { cloneAndCheck, Folders, git, remoteRefs, WorkingCopy } from "./real-git.ts";

let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(() => folders.remove());
afterAll(() => server.stop());

let names = 0;
const create = (options?: Parameters<GitServer["create"]>[1]) => server.create(`push-${names++}`, options);

describe.each(["sha1", "sha256"] as const)("pushes at once (%s)", (format) => {
  it("to different branches: all land", async () => {
    holdTimeStill();
    const { url } = await create({ format });
    const base = await WorkingCopy.init(folders, format);
    await base.commit({ "a.txt": "0\n", "b/c.txt": "same\n" });
    await base.git("push", "-q", url, "main");
    const runs = await Promise.all(
      Array.from({ length: 8 }, async (_, number) => {
        const writer = new WorkingCopy(await folders.make());
        await git(writer.folder, ["clone", "-q", url, "."]);
        await writer.commit({ [`file-${number}.txt`]: `${number}\n` });
        return writer.try("push", url, `HEAD:refs/heads/topic-${number}`);
      }),
    );
    expect(runs.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual(Array(8).fill(0));
    expect(await remoteRefs(url)).toHaveLength(9);
    await cloneAndCheck(folders, url);
  });
});

describe("a push of many refs", () => {
  it("1,200 refs in one push are cloned back, and one of them is deleted", async () => {
    const { url } = await create();
    const work = await WorkingCopy.init(folders);
    const commits = await work.commitSeries(3, (number) => ({ "a.txt": `${number}\n`, "b/c.txt": "same\n" }));
    const lines = Array.from(
      { length: 1_200 },
      (_, number) => `create refs/heads/many/${number} ${commits[number % 3]}`,
    );
    await git(work.folder, ["update-ref", "--stdin"], { input: `${lines.join("\n")}\n` });
    await work.git("push", "-q", url, "--all");
    const copy = await cloneAndCheck(folders, url);
    expect((await git(copy, ["for-each-ref", "refs/heads/many"])).split("\n")).toHaveLength(1_200);
    await work.git("push", "-q", url, "--delete", "many/7");
    expect(await remoteRefs(url)).toHaveLength(1_200);
  });
});
