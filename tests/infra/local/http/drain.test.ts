import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { drainOnStop } from "#infra/local/http/drain";

it("a request that never ends is cut when the grace is over, and the stop ends", async () => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  const stop = drainOnStop(server, 1);
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: forge\r\n\r\n");
  await once(server, "request");
  const closed = once(socket.resume(), "close");
  socket.on("error", () => undefined); // a reset is fine
  await Promise.all([stop(), stop()]);
  await closed;
  expect(server.listening).toBe(false);
});
