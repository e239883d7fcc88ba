import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, commandOf, readAnswer } from "#tests/git/fetch/raw-fetch";
import { type GitServer, startGitServer } from "./git-server.ts";
import { cloneAndCheck, Folders, git, remoteRefs, WorkingCopy } from "./real-git.ts";

// What git asks beyond round trips, through the edge front to the app as a Lambda function.
let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer({ isBehindEdge: true, settings: { GIT_MAX_PUSH_REFS: "8" } });
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
});

describe.each(["sha1", "sha256"] as const)("behind the edge front (%s)", (format) => {
  let names = 0;
  const heard: (readonly string[])[] = [];
  const judge = (_: unknown, changes: readonly { name: string }[], options: readonly string[]) => {
    heard.push(options);
    return changes.map(({ name }) => (name.endsWith("locked") ? "the branch is protected" : undefined));
  };
  const create = () => server.create(`${format}-${names++}`, { format, rules: { judge } });

  async function pushed(commits: number) {
    const { url } = await create();
    const work = await WorkingCopy.init(folders, format);
    const ids = await work.commitAll(
      Array.from({ length: commits }, (_, number) => ({ files: { "a.txt": `${number}\n` } })),
    );
    await work.git("push", "-q", url, "main", "main:old");
    return { url, work, ids };
  }

  it.each(["0", "1", "2"])("D-REFUSE, --atomic and push options, protocol %s", async (version) => {
    const { url, work } = await pushed(2);
    const option = ["-c", `protocol.version=${version}`];
    const before = await remoteRefs(url);
    const refused = await work.try(...option, "push", "--atomic", url, "main:fresh", "main:locked");
    expect(refused.stderr).toContain("the branch is protected");
    expect(await remoteRefs(url)).toEqual(before);
    const partly = await work.try(...option, "push", "-o", "ci.skip", url, "main:fresh", "main:locked");
    expect(partly.stderr).toContain("! [remote rejected] main -> locked (the branch is protected)");
    expect(heard.at(-1)).toEqual(["ci.skip"]);
    await work.commit({ "b.txt": "b\n" });
    await work.git(...option, "push", "-q", "--atomic", url, "main", ":old", "main:newer");
    const refs = (await remoteRefs(url, ...option)).map((line) => line.split(" ")[1]);
    expect(refs).toEqual(["fresh", "main", "newer"].map((name) => `refs/heads/${name}`));
    await cloneAndCheck(folders, url, ...option);
  });

  it.each(["0", "1", "2"])("pushes from shallow clones, and --unshallow, protocol %s", async (version) => {
    const { url } = await pushed(4);
    const option = ["-c", `protocol.version=${version}`];
    const folder = await folders.make();
    await git(folder, [...option, "clone", "-q", "--depth=1", url, "copy"]);
    const copy = new WorkingCopy(join(folder, "copy"));
    await copy.commit({ "b.txt": "from the shallow end\n" });
    await copy.git(...option, "push", "-q", "origin", "main");
    expect(await copy.git("rev-list", "--count", "HEAD")).toBe("2");
    await copy.git(...option, "fetch", "-q", "--unshallow");
    expect(await copy.git("rev-list", "--count", "HEAD")).toBe("5");
    await copy.git("fsck", "--full", "--strict");
  });

  it("object-info, wait-for-done, and refusals in words", async () => {
    const { url, ids } = await pushed(2);
    const tip = ids.at(-1) as string;
    const fetchOf = async (...args: string[]) => readAnswer(await ask(url, commandOf(format, "fetch", args)));
    const info = await ask(url, commandOf(format, "object-info", ["size", `oid ${tip}`]));
    expect(await info.text()).toMatch(new RegExp(`size.*${tip} \\d+`, "s"));
    const waiting = await fetchOf(`want ${tip}`, `have ${ids[0]}`, "wait-for-done");
    expect(waiting.order).toEqual(["acknowledgments"]);
    expect((await fetchOf(`want ${tip}`, "filter sparse:oid=x", "done")).error).toContain("sparse checkout");
    expect((await fetchOf(`want ${"12".repeat(tip.length / 2)}`, "done")).error).toContain("not our ref");
  });

  it("GIT_MAX_PUSH_REFS: git shows its user that the push names too many", async () => {
    const { url, work } = await pushed(1);
    const before = await remoteRefs(url);
    const many = Array.from({ length: 9 }, (_, number) => `main:b${number}`);
    expect((await work.try("push", url, ...many)).stderr).toContain("more than 8 refs in one push");
    expect(await remoteRefs(url)).toEqual(before);
  });
});
