import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tooLarge } from "#core/errors";
import type { ObjectFormat } from "#core/git/format/object-format";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { openRepository } from "#core/git/store/store";
import { holdTimeStill } from "#tests/support/still-time";
import { until } from "#tests/support/until";
import { type GitServer, startGitServer } from "./git-server.ts";
import { objectsOf, packOf, rawPush, readReport, sendPush } from "./raw-push.ts";
import { cloneAndCheck, Folders, git, remoteRefs, WorkingCopy } from "./real-git.ts";

let server: GitServer;
let spool: string;
const kept = new Folders();
const folders = new Folders();
beforeAll(async () => {
  spool = await kept.make();
  server = await startGitServer({ keepAliveMs: 10, temporaryFolder: spool });
});
afterEach(async () => {
  server.faults.recover();
  await folders.remove();
  expect(await readdir(spool)).toEqual([]);
});
afterAll(async () => {
  await server.stop();
  await kept.remove();
});

const zero = "0".repeat(40);
let names = 0;
const create = (options?: Parameters<GitServer["create"]>[1]) => server.create(`push-${names++}`, options);

const works = new Map<string, WorkingCopy>();

/** A working copy of so many commits, made once: tests push from it and leave it as it is. */
async function workWithCommits(count: number, format: ObjectFormat = "sha1"): Promise<WorkingCopy> {
  const key = `${count} of ${format}`;
  const known = works.get(key);
  if (known !== undefined) return known;
  const work = await WorkingCopy.init(kept, format);
  await work.commitSeries(count, (number) => ({ "a.txt": `${number}\n`, "b/c.txt": "same\n" }));
  works.set(key, work);
  return work;
}

async function objectKeys(id: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of server.forge.blobs.list(`r/${id}/`)) keys.push(key);
  return keys;
}

async function expectEmpty(id: number): Promise<void> {
  expect((await openRepository(server.forge, id))?.refs.entries).toEqual([]);
  expect(await objectKeys(id)).toEqual([]);
}

describe("a push that is refused", () => {
  it.each([
    [
      "damaged in the middle",
      (pack: Buffer) => Buffer.from(pack.map((byte, at) => (at === 40 ? byte ^ 0xff : byte))),
    ],
    ["cut short", (pack: Buffer) => pack.subarray(0, pack.length - 30)],
    [
      "with a wrong checksum",
      (pack: Buffer) => Buffer.concat([pack.subarray(0, -1), Buffer.from([(pack.at(-1) ?? 0) ^ 1])]),
    ],
    ["that is no pack", () => Buffer.from("not a pack at all, not even nearly")],
    ["that is absent", () => Buffer.alloc(0)],
    ["followed by other bytes", (pack: Buffer) => Buffer.concat([pack, Buffer.from("more")])],
  ])("a pack %s: the repository stays as it was", async (_, damage) => {
    const { url, id } = await create();
    const work = await workWithCommits(2);
    const tip = await work.git("rev-parse", "HEAD");
    const pack = damage(await packOf(work.folder, await objectsOf(work.folder, "HEAD")));
    const answer = await sendPush(url, rawPush([{ old: zero, new: tip, name: "refs/heads/main" }], pack));
    expect(answer.status).toBe(200);
    const { lines } = await readReport(answer);
    expect(lines[0]).toMatch(/^unpack (?!ok)/);
    expect(lines[1]).toMatch(/^ng refs\/heads\/main /);
    await expectEmpty(id);
  });

  it.each(["blob", "tree", "commit"])("a pack that lacks a %s: it is named", async (kind) => {
    const { url, id } = await create();
    const work = await workWithCommits(3);
    const tip = await work.git("rev-parse", "HEAD");
    const lacking = await work.git(
      "rev-parse",
      { blob: "HEAD:a.txt", tree: "HEAD:b", commit: "HEAD~1" }[kind] ?? "",
    );
    const ids = (await objectsOf(work.folder, "HEAD")).filter((one) => one !== lacking);
    const pack = await packOf(work.folder, ids);
    const { lines } = await readReport(
      await sendPush(url, rawPush([{ old: zero, new: tip, name: "refs/heads/main" }], pack)),
    );
    expect(lines[0]).toBe(`unpack object ${lacking} is missing from the push and the repository`);
    await expectEmpty(id);
  });

  it("a tip that is in neither the pack nor the repository", async () => {
    const { url, id } = await create();
    const work = await workWithCommits(1);
    const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
    const absent = "ab".repeat(20);
    const { lines } = await readReport(
      await sendPush(url, rawPush([{ old: zero, new: absent, name: "refs/heads/main" }], pack)),
    );
    expect(lines).toEqual(["unpack ok", `ng refs/heads/main object ${absent} is missing`]);
    await expectEmpty(id);
  });

  it("ref names that git forbids, while the good one lands", async () => {
    const { url } = await create();
    const work = await workWithCommits(1);
    const tip = await work.git("rev-parse", "HEAD");
    const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
    const bad = [
      "refs/heads/a..b",
      "refs/heads/a b",
      "refs/heads/x.lock",
      "HEAD",
      "refs/heads/a\x07b",
      `refs/heads/${"n".repeat(1200)}`,
    ];
    const commands = [...bad, "refs/heads/good"].map((name) => ({ old: zero, new: tip, name }));
    const { lines } = await readReport(await sendPush(url, rawPush(commands, pack)));
    expect(lines[0]).toBe("unpack ok");
    expect(lines.filter((line) => line.startsWith("ng "))).toHaveLength(bad.length);
    expect(await remoteRefs(url)).toEqual([`${tip} refs/heads/good`]);
  });

  it("names that are not UTF-8 are taken and come back byte for byte", async () => {
    const { url } = await create();
    const work = await workWithCommits(1);
    const tip = await work.git("rev-parse", "HEAD");
    const name = Buffer.concat([Buffer.from("refs/heads/"), Buffer.from([0xe4, 0xff])]);
    const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
    const { lines } = await readReport(await sendPush(url, rawPush([{ old: zero, new: tip, name }], pack)));
    expect(lines[0]).toBe("unpack ok");
    const listed = await fetch(`${url}/info/refs?service=git-upload-pack`);
    expect(Buffer.from(await listed.arrayBuffer()).includes(name)).toBe(true);
  });

  it("the other object format, in a hand-made request and by git itself", async () => {
    const { url, id } = await create();
    const wide = "ab".repeat(32);
    const commands = [{ old: "0".repeat(64), new: wide, name: "refs/heads/main" }];
    const { lines } = await readReport(
      await sendPush(url, rawPush(commands, undefined, "report-status side-band-64k object-format=sha256")),
    );
    expect(lines[0]).toContain("this repository uses sha1 object ids, and the client sends sha256");
    await expectEmpty(id);
    await (await workWithCommits(1)).git("push", "-q", url, "main");
    const refs = await remoteRefs(url);
    const work = await WorkingCopy.init(folders, "sha256");
    await work.commit({ "a.txt": "a\n" });
    for (const args of [
      ["push", url, "main:other"],
      ["fetch", url, "main"],
    ]) {
      const run = await work.try(...args);
      expect(run.code).not.toBe(0);
      expect(run.stderr).toMatch(/algorithm/);
    }
    expect(await remoteRefs(url)).toEqual(refs);
  });

  it("with a certificate is told so", async () => {
    const { url } = await create();
    const body = Buffer.concat([dataPacket("push-cert\0report-status side-band-64k"), flushPacket]);
    expect((await readReport(await sendPush(url, body))).lines[0]).toContain("signed pushes");
  });

  it("by a server without room for it: nothing is left", async () => {
    const broken = await startGitServer({ temporaryFolder: "/nonexistent/spool" });
    try {
      const { url, id } = await broken.create("no-room");
      const work = await workWithCommits(1);
      const run = await work.try("push", url, "main");
      expect(run.stderr).toContain("the server failed; nothing was changed");
      expect((await openRepository(broken.forge, id))?.refs.entries).toEqual([]);
      expect(broken.logged.some(({ event }) => event === "receive:failed")).toBe(true);
    } finally {
      await broken.stop();
    }
  });

  it("with the words of the refusal that a rule throws", async () => {
    const rules = {
      extraWrites: () => {
        throw tooLarge("the quota of 5 MB is used up");
      },
    };
    const { url, id } = await create({ rules });
    const run = await (await workWithCommits(1)).try("push", url, "main");
    expect(run.stderr).toContain("the quota of 5 MB is used up");
    await expectEmpty(id);
  });
});

describe.each(["sha1", "sha256"] as const)("rules of a push (%s)", (format) => {
  const judge = (_: unknown, changes: readonly { name: string }[]) =>
    changes.map(({ name }) => (name.endsWith("locked") ? "the branch is protected" : undefined));

  it("D-REFUSE: git shows why a ref was refused, and the others land", async () => {
    const { url } = await create({ format, rules: { judge } });
    const work = await workWithCommits(1, format);
    const run = await work.try("push", url, "main", "main:locked");
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain("! [remote rejected] main -> locked (the branch is protected)");
    expect((await remoteRefs(url)).map((line) => line.split(" ")[1])).toEqual(["refs/heads/main"]);
  });

  it("D-REFUSE: with --atomic nothing lands", async () => {
    const { url, id } = await create({ format, rules: { judge } });
    const run = await (await workWithCommits(1, format)).try("push", "--atomic", url, "main", "main:locked");
    expect(run.stderr).toContain("the branch is protected");
    await expectEmpty(id);
  });
});

describe("rules of a push", () => {
  it("lines of what runs after the push reach the pusher; its failure is only logged", async () => {
    const told = await create({
      rules: { afterPush: async ({ changes }) => [`${changes.length} ref(s) moved`] },
    });
    const work = await workWithCommits(1);
    expect((await work.try("push", told.url, "main")).stderr).toContain("remote: 1 ref(s) moved");
    const failing = await create({
      rules: {
        afterPush: async () => {
          throw new Error("the queue is away");
        },
      },
    });
    expect((await work.try("push", failing.url, "main")).code).toBe(0);
    expect(server.logged.some(({ event }) => event === "receive:after-push")).toBe(true);
  });

  it("the first branch becomes what HEAD names when the rules say so", async () => {
    const { url } = await create({
      rules: { chooseHead: ({ wasEmpty, changes }) => (wasEmpty ? changes[0]?.name : undefined) },
    });
    await (await workWithCommits(1)).git("push", "-q", url, "main:trunk");
    expect(await git(await cloneAndCheck(folders, url), ["symbolic-ref", "HEAD"])).toBe("refs/heads/trunk");
  });

  it("while they take their time the client hears an empty frame now and then", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await create({
      rules: {
        judge: async () => {
          await gate;
          return [];
        },
      },
    });
    const work = await workWithCommits(1);
    const tip = await work.git("rev-parse", "HEAD");
    const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
    const answer = await sendPush(url, rawPush([{ old: zero, new: tip, name: "refs/heads/main" }], pack));
    // The answer begins before the work is done: that alone takes a frame.
    expect(answer.status).toBe(200);
    release();
    const { lines, keepAlives } = await readReport(answer);
    expect(lines).toEqual(["unpack ok", "ok refs/heads/main"]);
    expect(keepAlives).toBeGreaterThan(0);
  });
});

describe.each(["sha1", "sha256"] as const)("pushes at once (%s)", (format) => {
  it("to one branch: exactly one git wins, the others are told to fetch", async () => {
    holdTimeStill();
    const { url } = await create({ format });
    const base = await workWithCommits(1, format);
    await base.git("push", "-q", url, "main");
    const rivals = await Promise.all(
      Array.from({ length: 4 }, async (_, number) => {
        const rival = new WorkingCopy(await folders.make());
        await git(rival.folder, ["clone", "-q", url, "."]);
        await rival.commit({ "a.txt": `rival ${number}\n` });
        return rival;
      }),
    );
    const runs = await Promise.all(rivals.map((rival) => rival.try("push", url, "main")));
    expect(runs.filter(({ code }) => code === 0)).toHaveLength(1);
    for (const { code, stderr } of runs) if (code !== 0) expect(stderr).toMatch(/fetch first/);
    await cloneAndCheck(folders, url);
  });
});

describe("a client that leaves", () => {
  it("in the middle of a push leaves nothing behind", async () => {
    const { url, id } = await create();
    const work = await workWithCommits(2);
    const tip = await work.git("rev-parse", "HEAD");
    const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
    const body = rawPush([{ old: zero, new: tip, name: "refs/heads/main" }], pack);
    const leaving = new AbortController();
    const half = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Uint8Array.from(body.subarray(0, body.length - 40))),
      pull: () => new Promise(() => undefined),
    });
    const sent = sendPush(url, Buffer.alloc(0), {
      body: half,
      signal: leaving.signal,
      duplex: "half",
    } as RequestInit);
    await until(() => existsSync(spool) && readdir(spool).then((entries) => entries.length > 0));
    leaving.abort();
    await expect(sent).rejects.toThrow();
    await until(async () => (await readdir(spool)).length === 0);
    await expectEmpty(id);
  });
});
