import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneAfterAnother } from "#infra/local/http/pipelined";
import { until } from "#tests/support/until";

let server: Server;
let [underWay, mostUnderWay, answered] = [0, 0, 0];
beforeAll(async () => {
  const answer = async (request: Request) => {
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    answered += 1;
    return new Response(new URL(request.url).pathname);
  };
  server = createServer(getRequestListener(oneAfterAnother(answer) as never));
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends requests in one piece; what came back until the connection was closed, or they were all answered. */
async function pipeline(count: number): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let received = "";
  let isClosed = false;
  socket.on("data", (data) => {
    received += data.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    isClosed = true;
  });
  const requests = Array.from({ length: count }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: forge\r\n\r\n`);
  socket.write(requests.join(""));
  await until(() => isClosed || received.includes(`/${count - 1}`));
  socket.destroy();
  return received;
}

describe("requests that a client sends ahead on one connection", () => {
  it("are answered in their order, one at a time", async () => {
    const received = await pipeline(15);
    const paths = received.match(/\/\d+$/gm) ?? [];
    expect(received.match(/HTTP\/1.1 200/g)).toHaveLength(15);
    expect(paths).toEqual(paths.toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1))));
    expect(mostUnderWay).toBe(1);
  });

  it("close it when they are hundreds, and most are never begun", async () => {
    answered = 0;
    await pipeline(1_000);
    expect(answered).toBeLessThan(100);
  });
});
