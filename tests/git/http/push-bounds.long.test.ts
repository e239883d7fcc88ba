import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { until } from "#tests/support/until";
import { type GitServer, startGitServer } from "./git-server.ts";
import { objectsOf, packOf, type RawCommand, rawPush } from "./raw-push.ts";
import { Folders, WorkingCopy } from "./real-git.ts";

const zero = "0".repeat(40);
const folders = new Folders();
/** Who waits is refused soon, has patience, or sees everybody count as slow. */
const kinds = {
  hasty: { patienceMs: 300, slowMs: 1e9 },
  patient: { patienceMs: 60_000, slowMs: 1e9 },
  pushing: { patienceMs: 60_000, slowMs: 1 },
};
let servers: Record<keyof typeof kinds, GitServer>;
let server: GitServer;
let spool: string;
let work: WorkingCopy;
let pack: Buffer;
let tip: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  spool = await folders.make();
  const settings = { GIT_MAX_PUSHES: "2" };
  const start = (kind: keyof typeof kinds) =>
    startGitServer({
      temporaryFolder: spool,
      settings,
      pushBounds: { ...kinds[kind], spoolBytes: 3_000_000 },
    });
  servers = { hasty: await start("hasty"), patient: await start("patient"), pushing: await start("pushing") };
  work = await WorkingCopy.init(folders);
  tip = await work.commit({ "a.txt": "a\n", "noise.txt": randomBytes(2_000_000).toString("latin1") });
  pack = await packOf(work.folder, await objectsOf(work.folder, "HEAD"));
});
beforeEach(() => {
  server = servers.hasty;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(async () => (await readdir(spool)).length === 0);
});
afterAll(async () => {
  for (const one of Object.values(servers)) await one.stop();
  await folders.remove();
});

/** A client that sends the first bytes of a push and then no more, until it is told to. */
async function slowPush(name: string, bytes = 1_000): Promise<Socket> {
  const command: RawCommand = { old: zero, new: tip, name: "refs/heads/main" };
  const body = rawPush([command], pack);
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  const head = [
    `POST /alice/${name}/git-receive-pack HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/x-git-receive-pack-request",
    `Content-Length: ${body.length}`,
  ].join("\r\n");
  const before = (await readdir(spool)).length;
  socket.write(`${head}\r\n\r\n`);
  socket.write(body.subarray(0, bytes));
  await until(async () => (await readdir(spool)).length > before);
  return socket;
}

const push = async (url: string) => {
  try {
    await work.git("push", url, "HEAD:main");
    return "pushed";
  } catch (error) {
    return String(error);
  }
};

describe("pushes at the same time", () => {
  it("one more than GIT_MAX_PUSHES waits, and is refused with a line that git shows when no place comes free", async () => {
    const { url } = await server.create("refused");
    for (const actorId of [1, 2]) {
      const name = `holder-${actorId}`;
      await server.create(name, { rules: { actorId } });
      await slowPush(name);
    }
    expect(await push(url)).toMatch(
      /remote rejected\] HEAD -> main \(the server is busy with 2 other pushes; push again in a moment\)/,
    );
  });

  it("takes the one that waits as soon as another is done", async () => {
    server = servers.patient;
    const { url } = await server.create("waits");
    await server.create("leaves", { rules: { actorId: 1 } });
    await server.create("stays", { rules: { actorId: 2 } });
    const leaving = await slowPush("leaves");
    await slowPush("stays");
    const pushed = push(url);
    leaving.destroy();
    expect(await pushed).toBe("pushed");
  });

  it("who sends next to nothing gives way to one that waits, not to nobody", async () => {
    server = servers.pushing;
    const { url } = await server.create("quick");
    for (const actorId of [1, 2]) {
      await server.create(`trickle-${actorId}`, { rules: { actorId } });
      await slowPush(`trickle-${actorId}`);
    }
    expect(await readdir(spool)).toHaveLength(2);
    expect(await push(url)).toBe("pushed");
    expect(await readdir(spool)).toHaveLength(1);
  });

  it("an account does not take more than half of the places", async () => {
    const { url } = await server.create("own", { rules: { actorId: 5 } });
    await server.create("own-slow", { rules: { actorId: 5 } });
    const other = await server.create("others");
    await slowPush("own-slow");
    expect(await push(url)).toContain(
      "(you have 1 pushes under way already; push again when one of them is done)",
    );
    expect(await push(other.url)).toBe("pushed");
  });

  it("a pack that has no room beside the others is refused, and taken once they are gone", async () => {
    const { url } = await server.create("large");
    await server.create("larger", { rules: { actorId: 1 } });
    const holder = await slowPush("larger", 1_700_000);
    expect(await push(url)).toContain("there is no room for this pack beside the other pushes under way");
    holder.destroy();
    await until(async () => (await readdir(spool)).length === 0);
    expect(await push(url)).toBe("pushed");
  });

  it("deletions need no place", async () => {
    const { url } = await server.create("deletes");
    expect(await push(url)).toBe("pushed");
    await work.git("push", "-q", url, "HEAD:old");
    for (const actorId of [1, 2]) {
      await server.create(`keeper-${actorId}`, { rules: { actorId } });
      await slowPush(`keeper-${actorId}`);
    }
    await work.git("push", "-q", url, ":old");
  });
});
