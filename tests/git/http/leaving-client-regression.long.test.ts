import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { until } from "#tests/support/until";
import { type GitServer, startGitServer } from "./git-server.ts";
import { objectsOf, packOf, rawPush } from "./raw-push.ts";
import { Folders, WorkingCopy } from "./real-git.ts";

let server: GitServer;
let spool: string;
let work: WorkingCopy;
let tip: string;
let pack: Buffer;
let release: () => void;
const folders = new Folders();

beforeAll(async () => {
  spool = await folders.make();
  server = await startGitServer({ keepAliveMs: 10, temporaryFolder: spool });
  work = await WorkingCopy.init(folders);
  tip = await work.commit({ "a.txt": "a\n", "big.txt": randomBytes(6 * 2 ** 20).toString("base64") });
  pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
  const { url } = await server.create("known");
  await work.git("push", "-q", url, "main");
  await server.create("waits", {
    rules: {
      judge: async () => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return [];
      },
    },
  });
});
afterEach(async () => {
  await until(async () => (await readdir(spool)).length === 0);
  expect(server.logged.filter(({ level }) => level === "error")).toEqual([]);
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
});

/** Sends the head of a request that promises more than it brings, and what there is of its body. */
async function begin(path: string, service: "upload" | "receive", body: Buffer): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  const head = [
    `POST /alice/${path}/git-${service}-pack HTTP/1.1`,
    "Host: localhost",
    `Content-Type: application/x-git-${service}-pack-request`,
    "Transfer-Encoding: chunked",
  ].join("\r\n");
  socket.write(`${head}\r\n\r\n${body.length.toString(16)}\r\n`);
  socket.write(body);
  await new Promise<void>((resolve) => {
    socket.write("\r\n", () => resolve());
  });
  return socket;
}

/** Until the server has said that the client of this test has left. */
async function untilTold(before: number): Promise<void> {
  const told = () => server.logged.filter(({ event }) => event === "git:client-left").length;
  await until(() => told() > before);
}
const toldSoFar = () => server.logged.filter(({ event }) => event === "git:client-left").length;
const push = () => rawPush([{ old: "0".repeat(40), new: tip, name: "refs/heads/new" }], pack);

describe("a client that leaves is no error of the server's", () => {
  it.each(["upload", "receive"] as const)("inside the lines of %s-pack", async (service) => {
    const before = toldSoFar();
    const socket = await begin("known", service, Buffer.from("00a0want"));
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await untilTold(before);
  });

  it("inside the pack of a push", async () => {
    const before = toldSoFar();
    const socket = await begin("known", "receive", push().subarray(0, -40));
    await until(async () => (await readdir(spool)).length > 0);
    socket.destroy();
    await untilTold(before);
  });

  it("while the rules of a push are asked", async () => {
    const before = toldSoFar();
    const body = push();
    const socket = await begin("waits", "receive", body);
    socket.write("0\r\n\r\n");
    await until(() => release !== undefined);
    socket.destroy();
    await untilTold(before);
    release();
  });

  it("in the middle of a clone", async () => {
    const before = toldSoFar();
    const body = Buffer.concat([
      dataPacket(`want ${tip} side-band-64k\n`),
      flushPacket,
      dataPacket("done\n"),
    ]);
    const socket = await begin("known", "upload", body);
    socket.write("0\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    socket.destroy();
    await untilTold(before);
  });
});

describe("a clone", () => {
  it("that is broken off ends the work behind it, with most of the pack unread", async () => {
    let isEnded = false;
    let bytesRead = 0;
    const watching = await startGitServer({
      wrapBlobs: (blobs) => ({
        ...blobs,
        async *stream(...range) {
          try {
            for await (const piece of blobs.stream(...range)) {
              bytesRead += piece.length;
              yield piece;
            }
          } finally {
            isEnded = true;
          }
        },
      }),
    });
    try {
      const { url } = await watching.create("left");
      const work = await WorkingCopy.init(folders);
      const noise = randomBytes(16_000_000);
      await work.git("config", "core.compression", "0");
      const tip = await work.commit({ "noise.txt": noise.toString("base64") });
      await work.git("push", "-q", url, "main");
      const leaving = new AbortController();
      const body = Buffer.concat([
        ...[dataPacket("command=fetch\n"), Buffer.from("0001"), dataPacket(`want ${tip}\n`)],
        ...[dataPacket("done\n"), flushPacket],
      ]);
      const answer = await fetch(`${url}/git-upload-pack`, {
        method: "POST",
        body: Uint8Array.from(body),
        headers: { "content-type": "application/x-git-upload-pack-request", "git-protocol": "version=2" },
        signal: leaving.signal,
      });
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      expect(isEnded).toBe(false);
      leaving.abort();
      await until(() => isEnded);
      expect(bytesRead).toBeLessThan(noise.length);
      expect(watching.logged.filter(({ event }) => event === "git:broken-answer")).toEqual([]);
    } finally {
      await watching.stop();
    }
  });
});
