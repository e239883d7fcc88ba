import fs from "node:fs";
import { clone, type FsClient, listBranches, log, readBlob, resolveRef, TREE, walk } from "isomorphic-git";
import http from "isomorphic-git/http/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Blobs } from "#core/blobs";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { readRoot } from "#core/git/store/store";
import { createTable } from "#core/table";
import { createGitApp } from "#functions/git/app";
import { countMeasured, measured } from "#tests/support/measured";
import { type GitServer, startGitServer } from "./git-server.ts";
import { objectsOf, packOf, rawPush, readReport } from "./raw-push.ts";
import { cloneAndCheck, Folders, git, WorkingCopy } from "./real-git.ts";

let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(() => folders.remove());
afterAll(() => server.stop());

const zero = "0".repeat(40);
const delimiter = Buffer.from("0001");
let names = 0;

/** A repository with some commits pushed. */
async function pushed(count = 3) {
  const name = `fetch-${names++}`;
  const { url, id } = await server.create(name);
  const work = await WorkingCopy.init(folders);
  await work.commitSeries(count, (number) => ({
    "a.txt": `${number}\n`,
    [`dir/${number}.txt`]: `${number}\n`,
    "größe.txt": "ü\n",
  }));
  await work.git("push", "-q", url, "main");
  return { name, url, id, work, path: `/alice/${name}.git` };
}

const post = (
  app: GitServer["app"],
  path: string,
  service: "upload" | "receive",
  body: Buffer,
  headers = {},
) =>
  app.request(`${path}/git-${service}-pack`, {
    method: "POST",
    body: Uint8Array.from(body),
    headers: { "content-type": `application/x-git-${service}-pack-request`, ...headers },
  });
const v2 = { "git-protocol": "version=2" };
const packets = (...lines: (string | Buffer)[]) =>
  Buffer.concat(lines.map((line) => (typeof line === "string" ? dataPacket(line) : line)));

describe("requests to the services, by count", () => {
  const listing = packets(
    "command=ls-refs\n",
    delimiter,
    "peel\n",
    "symrefs\n",
    "ref-prefix refs/heads/\n",
    flushPacket,
  );

  /** What git asks when there is nothing to fetch. */
  async function emptyFetch(app: GitServer["app"], path: string, version: 0 | 2) {
    const headers = version === 2 ? v2 : {};
    await (await app.request(`${path}/info/refs?service=git-upload-pack`, { headers })).arrayBuffer();
    if (version === 2) await (await post(app, path, "upload", listing, v2)).arrayBuffer();
  }

  it.each([0, 2] as const)(
    "a fetch of nothing, protocol %i: 0 of S3, at most 2 reads of the table, also cold",
    async (version) => {
      const { path } = await pushed(1);
      const warm = await measured(() => emptyFetch(server.app, path, version));
      expect(warm.usage).toMatchObject({ blobReads: 0, blobWrites: 0, tableRequests: 1 });
      const table = createTable({
        client: server.direct,
        name: server.forge.table.name,
        count: countMeasured,
      });
      const repository = await pushed(1);
      const resolve = async () => ({
        ok: true as const,
        repository: { id: repository.id, objectFormat: "sha1" as const },
      });
      const app = createGitApp({ forge: { ...server.forge, table }, resolve });
      const cold = await measured(() => emptyFetch(app, path, version));
      expect(cold.usage).toMatchObject({ blobReads: 0, blobWrites: 0, tableRequests: 2 });
    },
  );

  it("a push of one commit: 2 writes to S3, 1 transaction", async () => {
    const { path, work } = await pushed();
    const old = await work.git("rev-parse", "HEAD");
    const tip = await work.commit({ "a.txt": "next\n" });
    const known = new Set(await objectsOf(work.folder, old));
    const pack = await packOf(
      work.folder,
      (await objectsOf(work.folder, tip)).filter((one) => !known.has(one)),
    );
    const body = rawPush([{ old, new: tip, name: "refs/heads/main" }], pack);
    const { result, usage } = await measured(async () =>
      readReport(await post(server.app, path, "receive", body)),
    );
    expect(result.lines).toEqual(["unpack ok", "ok refs/heads/main"]);
    expect(usage.blobWrites).toBe(2);
    expect(usage.operations["dynamodb:TransactWriteItems"]).toBe(1);
    expect(usage.tableRequests).toBeLessThanOrEqual(3);
  });

  it("a fetch of one commit: 0 of S3 where it was pushed, at most 8 elsewhere; 1 read of the table", async () => {
    const { path, work, url } = await pushed();
    const have = await work.git("rev-parse", "HEAD");
    const want = await work.commit({ "a.txt": "next\n" });
    await work.git("push", "-q", url, "main");
    const lines = ["thin-pack\n", "ofs-delta\n", `want ${want}\n`, `have ${have}\n`, "done\n"];
    const body = packets("command=fetch\n", delimiter, ...lines, flushPacket);
    const ask = () =>
      measured(async () =>
        Buffer.from(await (await post(server.app, path, "upload", body, v2)).arrayBuffer()),
      );
    const { result, usage } = await ask();
    // The section's name, a frame's length, band 1, then version 2 and three objects.
    expect(result.toString("latin1", 0, 13)).toBe("000dpackfile\n");
    expect(result.toString("latin1", 17, 30)).toBe("\x01PACK\0\0\0\x02\0\0\0\x03");
    expect(usage).toMatchObject({ blobReads: 0, tableRequests: 1 });
    processPackCaches.clear();
    const elsewhere = await ask();
    expect(elsewhere.result).toEqual(result);
    expect(elsewhere.usage.blobReads).toBeGreaterThan(0);
    expect(elsewhere.usage.blobReads).toBeLessThanOrEqual(8);
  });
});

describe("a clone", () => {
  it("by isomorphic-git, which shares no code with either side, reads the same history and files", async () => {
    const { url, work } = await pushed(8);
    await work.git("checkout", "-q", "-b", "side", "HEAD~3");
    await work.commit({ "side.txt": "s\n" });
    await work.git("push", "-q", url, "side");
    const dir = await folders.make();
    await clone({ fs: fs as FsClient, http, dir, url, ref: "main", noTags: true });
    const tip = await resolveRef({ fs, dir, ref: "main" });
    expect(tip).toBe(await work.git("rev-parse", "main"));
    expect(await listBranches({ fs, dir, remote: "origin" })).toEqual(
      expect.arrayContaining(["main", "side"]),
    );
    const commits = await log({ fs, dir, ref: "main" });
    expect(commits.map(({ oid }) => oid)).toEqual((await work.git("rev-list", "main")).split("\n"));
    const files: string[] = await walk({
      fs,
      dir,
      trees: [TREE({ ref: "main" })],
      map: async (path, [entry]) =>
        (await entry?.type()) === "blob" ? `${await entry?.oid()} ${path}` : undefined,
    });
    const expected = await work.git(
      "-c",
      "core.quotePath=false",
      "ls-tree",
      "-r",
      "--format=%(objectname) %(path)",
      "main",
    );
    expect(files.filter((file) => file !== undefined).sort()).toEqual(expected.split("\n").sort());
    const { blob } = await readBlob({ fs, dir, oid: tip, filepath: "größe.txt" });
    expect(Buffer.from(blob).toString()).toBe("ü\n");
  });

  it("of several packs with objects in common holds each object once", async () => {
    const { url, work } = await pushed(2);
    const first = await work.git("rev-parse", "HEAD~1");
    const pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
    const path = new URL(url).pathname;
    const body = rawPush([{ old: zero, new: first, name: "refs/heads/again" }], pack);
    expect((await readReport(await post(server.app, path, "receive", body))).lines[0]).toBe("unpack ok");
    const copy = await cloneAndCheck(folders, url);
    const counted = await git(copy, ["count-objects", "-v"]);
    expect(counted).toContain(`in-pack: ${(await objectsOf(work.folder, "HEAD")).length}`);
  });

  it("needs no walk as long as every push was taken whole and nothing was withdrawn", async () => {
    const { url, id, work } = await pushed(2);
    const isWhole = async () => (await readRoot(server.forge, id))?.isWhollyReachable;
    await work.git("checkout", "-q", "-b", "topic");
    await work.commit({ "topic.txt": "t\n" });
    await work.git("tag", "-a", "-m", "tagged", "v1");
    await work.git("push", "-q", url, "topic", "v1");
    await work.git("checkout", "-q", "main");
    await work.commit({ "a.txt": "main goes on\n" });
    await work.git("merge", "-q", "--no-ff", "-m", "join", "topic");
    await work.git("push", "-q", url, "main");
    await work.git("push", "-q", url, "--delete", "topic");
    expect(await isWhole()).toBe(true);
    await cloneAndCheck(folders, url);
    await work.git("push", "-q", url, "--delete", "v1");
    expect(await isWhole()).toBe(false);
    const copy = await cloneAndCheck(folders, url);
    expect(await git(copy, ["fsck", "--unreachable", "--no-reflogs"])).toBe("");
  });

  it("from a store that takes its time hears an empty frame now and then", async () => {
    const { id, work } = await pushed();
    processPackCaches.clear();
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Blobs = {
      ...server.forge.blobs,
      async *stream(...range) {
        await gate;
        yield* server.forge.blobs.stream(...range);
      },
      read: (...range) => gate.then(() => server.forge.blobs.read(...range)),
    };
    const resolve = async () => ({ ok: true as const, repository: { id, objectFormat: "sha1" as const } });
    const app = createGitApp({ forge: { ...server.forge, blobs: slow }, resolve, keepAliveMs: 5 });
    const body = packets(
      "command=fetch\n",
      delimiter,
      `want ${await work.git("rev-parse", "main")}\n`,
      "done\n",
      flushPacket,
    );
    const answer = await post(app, "/alice/slow", "upload", body, v2);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const seen: string[] = [];
    while (seen.filter((frame) => frame === "0005\x02").length < 3) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      seen.push(Buffer.from(value ?? []).toString("latin1"));
    }
    expect(seen[0]).toBe("000dpackfile\n");
    release();
    let rest = "";
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      rest += Buffer.from(next.value).toString("latin1");
    }
    expect(rest).toContain("\x01PACK");
    expect(rest.endsWith("0000")).toBe(true);
  });

  it("of a repository that can't be read ends in an error that git shows, and is logged", async () => {
    const { url, id } = await pushed();
    const keys: string[] = [];
    for await (const { key } of server.forge.blobs.list(`r/${id}/`))
      if (key.endsWith(".pack")) keys.push(key);
    await server.forge.blobs.remove(keys);
    processPackCaches.clear();
    const work = await WorkingCopy.init(folders);
    const run = await work.try("fetch", url, "main");
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain("the server could not read this repository");
    expect(
      server.logged.filter(({ event, repositoryId }) => event === "git:broken-answer" && repositoryId === id),
    ).toEqual([expect.objectContaining({ requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })]);
  });
});
