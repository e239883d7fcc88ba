import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, request as forward, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { getRequestListener } from "@hono/node-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { boundRequests } from "#core/aws/internal/bounded-client";
import { createBlobs } from "#core/blobs";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { type PackEntry, packKey } from "#core/git/pack/pack-files";
import { readRoot } from "#core/git/store/store";
import { boundClients } from "#infra/local/http/slow-clients";
import { ask, commandOf, readAnswer } from "#tests/git/fetch/raw-fetch";
import { until } from "#tests/support/until";
import { type GitServer, startGitServer } from "./git-server.ts";
import { Folders, git, WorkingCopy } from "./real-git.ts";

const never = 24 * 3_600_000;

/** S3 with bodies that stand still after their first half: of objects with these keys, while there are any. */
interface StandingStore {
  readonly endpoint: string;
  readonly standing: Set<string>;
  readonly held: (() => void)[];
  stop(): Promise<void>;
}

async function startStanding(s3: () => string): Promise<StandingStore> {
  const standing = new Set<string>();
  const held: (() => void)[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { method, url = "", headers } = request;
    const isHeld = method === "GET" && [...standing].some((key) => url.includes(key));
    const onward = forward(s3() + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (!isHeld) return void answer.pipe(response);
      answer.once("data", (chunk: Buffer) => {
        answer.pause();
        response.write(chunk);
        held.push(() => void answer.pipe(response));
      });
    });
    response.once("close", () => onward.destroy());
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    standing,
    held,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A repository of one pack. */
interface Stored {
  readonly path: string;
  readonly tip: string;
  readonly pack: Buffer;
  readonly key: string;
}

describe("clients that read slowly or not at all", () => {
  const folders = new Folders();
  const agents: Agent[] = [];
  let server: GitServer;
  let store: StandingStore;
  let front: Server;
  let responses: Set<ServerResponse>;
  /** A pack that no kernel takes whole for a client who does not read, and one that is streamed at all. */
  let large: Stored;
  let middle: Stored;

  /** Connections to the bucket with an answer on its way. */
  const bucketHeld = () =>
    agents.reduce(
      (sum, { sockets }) => sum + Object.values(sockets).reduce((n, of) => n + (of?.length ?? 0), 0),
      0,
    );
  const addressOf = (path: string) => `http://127.0.0.1:${(front.address() as AddressInfo).port}${path}`;

  beforeAll(async () => {
    store = await startStanding(() => server.standIns.s3Endpoint);
    server = await startGitServer({
      wrapBlobs: ({ bucket }) =>
        createBlobs({
          bucket,
          client: async () => {
            const { credentials, region } = server.standIns;
            const [most, agent] = [100, new Agent({ keepAlive: true, maxSockets: 100 })];
            agents.push(agent);
            const requestHandler = { httpAgent: agent, connectionTimeout: 2_000, socketTimeout: 30_000 };
            const to = { endpoint: store.endpoint, region, credentials, forcePathStyle: true };
            return boundRequests(new S3Client({ ...to, requestHandler }), most);
          },
        }),
    });
    large = await makeStored("large", 9 * 2 ** 20);
    middle = await makeStored("middle", 2 * 2 ** 20);
  });
  beforeEach(async () => {
    responses = new Set();
    processPackCaches.clear();
    const answer = getRequestListener(server.app.fetch);
    front = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      responses.add(response);
      response.once("close", () => responses.delete(response));
      void answer(request, response);
    }).listen(0, "127.0.0.1");
    boundClients(front, { stallMs: never, answerMs: never });
    await once(front, "listening");
  });
  afterEach(async () => {
    front.closeAllConnections();
    await new Promise((resolve) => front.close(resolve));
    expect(server.logged.filter(({ level }) => level === "error")).toEqual([]);
  });
  afterAll(async () => {
    await server.stop();
    await store.stop();
    await folders.remove();
  });

  async function makeStored(name: string, sizeBytes: number): Promise<Stored> {
    const { url, id } = await server.create(name);
    const work = await WorkingCopy.init(folders);
    const tip = await work.commit({ "noise.txt": randomBytes(sizeBytes).toString("base64") });
    await work.git("push", "-q", url, "main");
    const [entry] = (await readRoot(server.forge, id))?.packs ?? [];
    const key = packKey(entry as PackEntry);
    return { path: new URL(url).pathname, tip, key, pack: await server.forge.blobs.get(key) };
  }

  /** A clone's answer, of which nothing is read yet. */
  const clone = ({ path, tip }: Stored) =>
    ask(addressOf(path), commandOf("sha1", "fetch", [`want ${tip}`, "ofs-delta", "done"]));
  const packOf = async (answer: Response) => (await readAnswer(answer)).pack;

  /** Somebody else pushes and clones another repository. */
  async function others(name: string): Promise<void> {
    const { url } = await server.create(name);
    const to = addressOf(new URL(url).pathname);
    const work = await WorkingCopy.init(folders);
    await work.commit({ "a.txt": "a\n" });
    await work.git("push", "-q", to, "main");
    const folder = await folders.make();
    await git(folder, ["clone", "-q", to, "copy"]);
    expect(await git(join(folder, "copy"), ["rev-parse", "HEAD"])).toBe(await work.git("rev-parse", "HEAD"));
  }

  it("60 clones whose bodies stand still in the bucket keep nobody from pushing and cloning", async () => {
    store.standing.add(middle.key);
    const clones = Array.from({ length: 60 }, async () => packOf(await clone(middle)));
    await until(() => store.held.length >= 60);
    await others("beside-standing");
    store.standing.clear();
    for (const release of store.held.splice(0)) release();
    for (const pack of await Promise.all(clones)) expect(pack.equals(middle.pack)).toBe(true);
    await until(() => bucketHeld() === 0);
  });

  it("a client that pauses holds no connection to the bucket meanwhile, and gets its whole pack", async () => {
    const paused = await clone(large);
    await until(() => bucketHeld() === 0);
    expect((await packOf(paused)).equals(large.pack)).toBe(true);
  });

  it("60 clients that never read hold no connection to the bucket; disconnected, they hold nothing", async () => {
    const toldBefore = server.logged.filter(({ event }) => event === "git:client-left").length;
    const unread = await Promise.all(Array.from({ length: 60 }, () => clone(large)));
    await until(() => bucketHeld() === 0);
    await others("beside-unread");
    expect(responses.size).toBe(60);
    // What Node tells when nothing has passed for as long as a client may take nothing.
    for (const { req, socket } of responses) {
      expect(req.complete).toBe(true);
      socket?.emit("timeout");
    }
    await until(() => responses.size === 0);
    expect(bucketHeld()).toBe(0);
    await until(
      () => server.logged.filter(({ event }) => event === "git:client-left").length === toldBefore + 60,
    );
    for (const answer of unread) await expect(answer.arrayBuffer()).rejects.toThrow();
  });
});
