import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { FairShare, type Share } from "#core/capacity/fair-share";
import type { Intake } from "#core/capacity/intake";
import { boundAnswers } from "#infra/local/http/held-answers";
import { until } from "#tests/support/until";

const mib = 2 ** 20;
/** More than the system takes off the process's hands. */
const large = Buffer.alloc(32 * mib);
let server: Server;
let memory: FairShare;
let reserved: Intake["reserved"];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(() => memory.held === 0);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function start(most: number, mostPerCaller: number, slowMs: number): Promise<void> {
  memory = new FairShare({ most, mostPerCaller, slowMs });
  reserved = new WeakMap();
  server = createServer(async ({ url }, response) => {
    if (url === "/reserved") reserved.set(response, (await memory.take("maker", 48 * mib)) as Share);
    response.once("close", () => reserved.get(response)?.release());
    response.end(url === "/small" ? "small" : large);
  });
  const callerOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers["x-caller"]);
  boundAnswers(server, { memory, smallBytes: 128 * 1024, callerOf, reserved });
  await once(server.listen(0, "127.0.0.1"), "listening");
}

interface Client {
  readonly socket: Socket;
  bytes: number;
  isClosed: boolean;
}

/** A client that has asked; it reads nothing until it is resumed. */
function ask(caller: string, path: string): Client {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  sockets.push(socket);
  const client: Client = { socket, bytes: 0, isClosed: false };
  socket.on("error", () => undefined);
  socket.on("close", () => {
    client.isClosed = true;
  });
  socket.on("data", ({ length }) => {
    client.bytes += length;
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: forge\r\nX-Caller: ${caller}\r\n\r\n`);
  return client;
}

describe("boundAnswers", () => {
  it("counts an answer until its client has taken it", async () => {
    await start(64 * mib, 64 * mib, 1e9);
    const client = ask("a", "/large");
    await until(() => memory.held > 16 * mib);
    client.socket.resume();
    await until(() => client.bytes > large.length && memory.held === 0);
  });

  it("counts an answer once that was counted while it was made, as what is left of it", async () => {
    await start(64 * mib, 64 * mib, 1e9);
    const client = ask("a", "/reserved");
    await until(() => memory.peak === 48 * mib && memory.held < 40 * mib);
    expect(memory.held).toBeGreaterThan(16 * mib);
    client.socket.resume();
    await until(() => client.bytes > large.length && memory.held === 0);
  });

  it("disconnects who lets more lie than their share; another caller is served", async () => {
    await start(100 * mib, 40 * mib, 1e9);
    const first = ask("hostile", "/large");
    await until(() => memory.held > 16 * mib);
    const second = ask("hostile", "/large");
    second.socket.resume();
    await until(() => second.isClosed);
    expect(second.bytes).toBeLessThan(large.length);
    const [other, small] = [ask("innocent", "/large"), ask("innocent", "/small")];
    for (const { socket } of [other, small]) socket.resume();
    await until(() => other.bytes > large.length && small.bytes > 0);
    expect([first.isClosed, memory.peak <= 100 * mib]).toEqual([false, true]);
  });

  it("disconnects who has taken nothing for long when another needs the room", async () => {
    await start(40 * mib, 40 * mib, 0);
    const slow = ask("slow", "/large");
    await until(() => memory.held > 16 * mib);
    const quick = ask("quick", "/large");
    quick.socket.resume();
    slow.socket.resume();
    await until(() => slow.isClosed);
    const again = ask("quick", "/large");
    again.socket.resume();
    await until(() => again.bytes > large.length);
  });
});
