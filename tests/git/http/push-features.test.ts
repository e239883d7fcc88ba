import fs from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { add, clone, commit, type FsClient, push } from "isomorphic-git";
import http from "isomorphic-git/http/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { openRepository } from "#core/git/store/store";
import { type GitServer, startGitServer } from "./git-server.ts";
import { objectsOf, packOf, rawPush, readReport, sendPush } from "./raw-push.ts";
import { cloneAndCheck, Folders, git, remoteRefs, WorkingCopy } from "./real-git.ts";

let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(() => folders.remove());
afterAll(() => server.stop());

let names = 0;
const create = (options?: Parameters<GitServer["create"]>[1]) => server.create(`feature-${names++}`, options);

describe.each(["sha1", "sha256"] as const)("a push (%s)", (format) => {
  const zero = "0".repeat(format === "sha1" ? 40 : 64);

  /** A clone of the last commit alone, made by git from a plain folder. */
  async function shallowClone(commits: number): Promise<{ whole: WorkingCopy; shallow: WorkingCopy }> {
    const whole = await WorkingCopy.init(folders, format);
    await whole.commitSeries(commits, (number) => ({ "a.txt": `${number}\n` }));
    const folder = join(await folders.make(), "shallow");
    await git(whole.folder, ["clone", "-q", "--depth=1", pathToFileURL(whole.folder).href, folder]);
    return { whole, shallow: new WorkingCopy(folder) };
  }

  it("from a shallow clone lands where the history below it is here", async () => {
    const { url } = await create({ format });
    const { whole, shallow } = await shallowClone(3);
    await whole.git("push", "-q", url, "main");
    const tip = await shallow.commit({ "b.txt": "from the shallow end\n" });
    await shallow.git("push", "-q", url, "main");
    expect(await remoteRefs(url)).toEqual([`${tip} refs/heads/main`]);
    const copy = await cloneAndCheck(folders, url);
    expect((await git(copy, ["rev-list", "main"])).split("\n")).toHaveLength(4);
  });

  it("from a shallow clone whose history is not here is refused, and says how to mend it", async () => {
    const { url, id } = await create({ format });
    const { shallow } = await shallowClone(3);
    const run = await shallow.try("push", url, "main");
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain('"git fetch --unshallow" brings what is missing');
    expect((await openRepository(server.forge, id))?.refs.entries).toEqual([]);
    await shallow.git("fetch", "-q", "--unshallow");
    expect((await shallow.try("push", url, "main")).code).toBe(0);
  });

  it("hands its options to the rules and to what follows", async () => {
    const heard: (readonly string[])[] = [];
    const rules = {
      judge: (_: unknown, changes: readonly unknown[], options: readonly string[]) => {
        heard.push(options);
        return changes.map(() => (options.includes("refuse") ? "as you asked" : undefined));
      },
      afterPush: async ({ pushOptions }: { pushOptions: readonly string[] }) => {
        heard.push(pushOptions);
        return [];
      },
    };
    const { url } = await create({ format, rules });
    const work = await WorkingCopy.init(folders, format);
    await work.commit({ "a.txt": "a\n" });
    const refused = await work.try("push", "-o", "refuse", url, "main");
    expect(refused.stderr).toContain("(as you asked)");
    await work.git("push", "-q", "-o", "ci.skip", "-o", "topic=größe", url, "main");
    expect(heard).toEqual([["refuse"], ["ci.skip", "topic=größe"], ["ci.skip", "topic=größe"]]);
  });

  it("with a flood of options is refused in words", async () => {
    const { url } = await create({ format });
    const work = await WorkingCopy.init(folders, format);
    const tip = await work.commit({ "a.txt": "a\n" });
    const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
    const send = async (options: readonly string[]) => {
      const lines = Buffer.concat([...options.map((option) => dataPacket(option)), flushPacket]);
      const capabilities = `report-status-v2 side-band-64k push-options object-format=${format}`;
      const commands = [{ old: zero, new: tip, name: "refs/heads/main" }];
      return (
        await readReport(await sendPush(url, rawPush(commands, Buffer.concat([lines, pack]), capabilities)))
      ).lines[0];
    };
    expect(await send(Array.from({ length: 101 }, () => "x"))).toBe("unpack more than 100 push options");
    expect(await send(["x".repeat(40_000), "y".repeat(40_000)])).toContain("push options of more than");
    expect(await send([])).toBe("unpack ok");
  });

  it("deletes, creates and moves in one, atomically", async () => {
    const { url } = await create({ format });
    const work = await WorkingCopy.init(folders, format);
    const first = await work.commit({ "a.txt": "1\n" });
    await work.git("push", "-q", url, "main", "main:old", "main:stays");
    const second = await work.commit({ "a.txt": "2\n" });
    await work.git("push", "-q", "--atomic", url, "main", ":old", "main:fresh");
    expect(await remoteRefs(url)).toEqual([
      `${second} refs/heads/fresh`,
      `${second} refs/heads/main`,
      `${first} refs/heads/stays`,
    ]);
  });

  it("deletes nothing where nothing is, as git does, and never what the pusher did not see", async () => {
    const { url } = await create({ format });
    const work = await WorkingCopy.init(folders, format);
    const tip = await work.commit({ "a.txt": "1\n" });
    await work.git("push", "-q", url, "main", "main:stays");
    await work.git("push", "-q", "--atomic", url, ":refs/heads/absent", "main:fresh");
    const mistyped = await work.try("push", "-q", url, ":refs/heads/absent", ":refs/heads/absent-too");
    expect(mistyped.stderr).toContain("warning: refs/heads/absent and 1 more: not here, nothing was deleted");
    const unseen = [{ old: zero, new: zero, name: "refs/heads/stays" }];
    const capabilities = `report-status side-band-64k object-format=${format}`;
    const { lines } = await readReport(await sendPush(url, rawPush(unseen, Buffer.alloc(0), capabilities)));
    expect(lines).toEqual(["unpack ok", "ng refs/heads/stays already exists here; fetch first"]);
    expect(await remoteRefs(url)).toEqual(
      ["fresh", "main", "stays"].map((name) => `${tip} refs/heads/${name}`),
    );
  });

  it("in pieces of one byte is the same push", async () => {
    const { url } = await create({ format });
    const work = await WorkingCopy.init(folders, format);
    const tip = await work.commit({ "a.txt": "a\n" });
    const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
    const commands = [{ old: zero, new: tip, name: "refs/heads/main" }];
    const body = rawPush(commands, pack, `report-status side-band-64k object-format=${format}`);
    let at = 0;
    const drops = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at === body.length) controller.close();
        else controller.enqueue(Uint8Array.of(body[at++] as number));
      },
    });
    const answer = await sendPush(url, Buffer.alloc(0), { body: drops, duplex: "half" } as RequestInit);
    expect((await readReport(answer)).lines).toEqual(["unpack ok", "ok refs/heads/main"]);
    await cloneAndCheck(folders, url);
  });
});

describe("a push that strays from the usual", () => {
  it("of a tree with a mode of old times lands and comes back as it is", async () => {
    const { url } = await create();
    const work = await WorkingCopy.init(folders);
    const blob = await git(work.folder, ["hash-object", "-w", "--stdin"], { input: "old\n" });
    const entry = Buffer.concat([Buffer.from("100664 old.txt\0"), Buffer.from(blob, "hex")]);
    const literally = ["hash-object", "-w", "--literally", "--stdin", "-t", "tree"];
    const tree = await git(work.folder, literally, { input: entry });
    const tip = await work.git("commit-tree", "-m", "of old times", tree);
    await work.git("push", "-q", url, `${tip}:refs/heads/main`);
    const copy = await folders.make();
    await git(copy, ["clone", "-q", "--mirror", url, "copy.git"]);
    expect(await git(join(copy, "copy.git"), ["ls-tree", "main"])).toContain("old.txt");
    expect(await git(join(copy, "copy.git"), ["rev-parse", "main^{tree}"])).toBe(tree);
  });

  it("with a capability that was not offered is refused in words", async () => {
    const { url } = await create();
    const commands = [{ old: "0".repeat(40), new: "ab".repeat(20), name: "refs/heads/main" }];
    const body = rawPush(commands, undefined, "report-status side-band-64k teleport");
    const { lines } = await readReport(await sendPush(url, body));
    expect(lines[0]).toBe('unpack this server does not offer the capability "teleport"');
  });
});

describe("a push by isomorphic-git", () => {
  it("lands, is told what was refused, and git reads what it sent", async () => {
    const judge = (_: unknown, changes: readonly { name: string }[]) =>
      changes.map(({ name }) => (name.endsWith("locked") ? "the branch is protected" : undefined));
    const { url } = await create({ rules: { judge } });
    const work = await WorkingCopy.init(folders);
    await work.commit({ "a.txt": "a\n", "b/c.txt": "c\n" });
    await work.git("push", "-q", url, "main");
    const [dir, author] = [await folders.make(), { name: "Ada", email: "ada@example.org" }];
    const client = { fs: fs as FsClient, http, dir, url };
    await clone({ ...client, ref: "main" });
    await writeFile(join(dir, "new.txt"), "by another hand\n");
    await add({ fs, dir, filepath: "new.txt" });
    const tip = await commit({ fs, dir, message: "from elsewhere", author });
    expect(await push({ ...client, ref: "main" })).toMatchObject({ ok: true });
    const locked = push({ ...client, ref: "main", remoteRef: "refs/heads/locked" });
    await expect(locked).rejects.toThrow("the branch is protected");
    expect(await remoteRefs(url)).toEqual([`${tip} refs/heads/main`]);
    const copy = await cloneAndCheck(folders, url);
    expect(await git(copy, ["show", "main:new.txt"])).toBe("by another hand");
    await push({ ...client, ref: "main", remoteRef: "refs/heads/gone" });
    await push({ ...client, ref: "main", remoteRef: "refs/heads/gone", delete: true });
    expect(await remoteRefs(url)).toEqual([`${tip} refs/heads/main`]);
  });
});
