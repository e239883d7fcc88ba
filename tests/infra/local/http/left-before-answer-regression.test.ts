import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Intake } from "#core/capacity/intake";
import type { Forge } from "#core/forge";
import { createSite } from "#infra/local/http/site";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { until } from "#tests/support/until";

const mib = 2 ** 20;
const intake = new Intake({
  ...{ memoryBytes: 3 * mib, largestWorkBytes: 3 * mib, diskBytes: mib, largestFileBytes: mib },
  ...{ files: 1, smallBytes: 64 * 1024, patienceMs: 24 * 3_600_000 },
});

let api: TestApi;
let alice: Caller;
let server: Server;
let socket: Socket;
/** Events that were logged, and transactions. */
const logged: string[] = [];
let transactions = 0;
/** Called before the stores are read, and before they are written. */
let beforeRead: () => Promise<void> = async () => undefined;
let beforeWrite: () => Promise<void> = async () => undefined;

/** The forge with the hooks of this test in its stores. */
function watched(forge: Forge): Forge {
  const note = (event: string) => void logged.push(event);
  const table: Forge["table"] = {
    ...forge.table,
    async getAll(...given) {
      await beforeRead();
      return forge.table.getAll(...given);
    },
    async transact(...given) {
      transactions += 1;
      return forge.table.transact(...given);
    },
    countedBy: () => table,
  };
  const blobs: Forge["blobs"] = {
    ...forge.blobs,
    async putFile(...given) {
      await beforeWrite();
      return forge.blobs.putFile(...given);
    },
    countedBy: () => blobs,
  };
  return { ...forge, table, blobs, log: { debug: note, info: note, warn: note, error: note } };
}

beforeAll(async () => {
  api = await makeApi({ simulation: false, settings: { RATE_LIMITS: "false" } });
  alice = await api.makeUser({ name: "alice" });
  await api.call("POST", "/user/repos", { as: alice, body: { name: "r", auto_init: true } });
  await pushFiles(api, alice, "r", { files: { a: "line\n".repeat(50_000) }, branch: "topic", from: "main" });
  server = createServer(getRequestListener(createSite(watched(api.forge), intake).fetch));
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => {
  logged.length = 0;
  transactions = 0;
  [beforeRead, beforeWrite] = [async () => undefined, async () => undefined];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.stop();
});

/** Sends a request on a connection of its own. */
function send(method: string, path: string, body = ""): void {
  socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  const lines = [
    `${method} /api/v1/repos/alice/r/${path} HTTP/1.1`,
    "Host: forge",
    `Authorization: token ${alice.token}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Closes the connection, once; resolves when the server knows. */
function leavingOnce(): () => Promise<void> {
  let left: Promise<unknown> | undefined;
  server.once("request", (_request, response) => {
    response.once("close", () => resolveLeft());
  });
  let resolveLeft: () => void = () => undefined;
  const isKnown = new Promise<void>((resolve) => {
    resolveLeft = resolve;
  });
  return async () => {
    if (left === undefined) socket.destroy();
    left ??= isKnown;
    await left;
  };
}

const newFile = (message: string) => JSON.stringify({ content: "YQ==", message });
const isThere = async (path: string) =>
  (await api.call("GET", `/repos/alice/r/contents/${path}`, { as: alice })).status === 200;

describe("a request whose client left before its answer", () => {
  it("waits for memory no longer, and computes nothing", async () => {
    const holding = intake.open("account 0");
    await holding.hold(3 * mib);
    const taking = once(server, "request");
    send("GET", "compare/main...topic?output=diff");
    const [, response] = await taking;
    await until(() => intake.memory.waiting === 1);
    socket.destroy();
    await once(response, "close");
    await until(() => intake.memory.waiting === 0 && logged.includes("api:client-left"));
    await holding.release();
    expect([intake.memory.held, logged]).toEqual([0, ["api:client-left"]]);
  });

  it("writes nothing any more when it has not begun to", async () => {
    beforeRead = leavingOnce();
    send("POST", "contents/never", newFile("never"));
    await until(() => logged.includes("api:client-left"));
    expect([transactions, await isThere("never")]).toEqual([0, false]);
  });

  it("is done to its end when it has begun to write", async () => {
    beforeWrite = leavingOnce();
    send("POST", "contents/begun", newFile("begun"));
    await until(() => isThere("begun"));
    expect(logged.filter((event) => event.startsWith("api:"))).toEqual([]);
  });
});
