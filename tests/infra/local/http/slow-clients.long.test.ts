import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { boundClients, type ClientBounds } from "#infra/local/http/slow-clients";
import { until } from "#tests/support/until";

const never = 24 * 3_600_000;
/** Long enough for a request to come after its connection, on a busy machine too: Node closes who sends none. */
const stallMs = 1_000;
let server: Server;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function start(bounds: Partial<ClientBounds>, answer: RequestListener): Promise<void> {
  server = createServer(answer).listen(0, "127.0.0.1");
  boundClients(server, { stallMs: never, answerMs: never, ...bounds });
  await once(server, "listening");
}

/** A client that has asked; it reads nothing until it is resumed. */
async function asking(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  sockets.push(socket);
  socket.on("error", () => undefined); // a reset is fine
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nHost: forge\r\n\r\n");
  return socket;
}

const connections = () =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

/** Writes as fast as it is taken, without end. */
const endless: RequestListener = (_request, response) => {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on("drain", more);
  more();
};

describe("boundClients", () => {
  it("disconnects who takes nothing of an answer, and the answer ends", async () => {
    let [begun, ended] = [0, 0];
    await start({ stallMs }, (request, response) => {
      begun += 1;
      response.once("close", () => {
        ended += 1;
      });
      endless(request, response);
    });
    await Promise.all(Array.from({ length: 10 }, asking));
    await until(async () => ended === 10 && (await connections()) === 0);
    expect(begun).toBe(10);
  });

  it("leaves who waits for an answer that takes its time", async () => {
    let late = 0;
    await start({ stallMs }, (_request, response) => {
      response.on("timeout", () => {
        late += 1;
        response.end("late");
      });
    });
    const socket = await asking();
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    socket.resume();
    await until(() => text.endsWith("late"));
    expect(late).toBe(1);
  });

  it("looks at nothing but what lies ready: who has taken all of it stays", async () => {
    let checked = 0;
    await start({}, (request, response) => {
      response.write("all there is so far", () => {
        request.socket.emit("timeout");
        checked += 1;
      });
    });
    const socket = await asking();
    await until(() => checked === 1);
    expect(await connections()).toBe(1);
    socket.destroy();
  });

  it("disconnects who reads on, but not to the end in time", async () => {
    await start({ answerMs: 50 }, endless);
    const socket = await asking();
    socket.resume();
    await until(async () => (await connections()) === 0);
  });

  it("closes connections without a request", async () => {
    await start({ stallMs: 50 }, (_request, response) => response.end("done"));
    server.keepAliveTimeout = 20;
    const socket = await asking();
    socket.resume();
    const silent = connect((server.address() as AddressInfo).port, "127.0.0.1");
    sockets.push(silent);
    await until(async () => (await connections()) === 0);
  });
});
