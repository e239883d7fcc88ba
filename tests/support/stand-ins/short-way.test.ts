import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { shortWayTo } from "./short-way.ts";

/** The way to a server that writes what it is told on a connection. */
async function wayTo(answer: (socket: Socket, request: number) => void) {
  let requests = 0;
  const server = createServer((request) => answer(request.socket, requests++)).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { requestHandler } = shortWayTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    requestHandler.destroy();
    server.close();
  });
  const request = { method: "POST", path: "/", headers: { "content-length": "2" }, body: "{}" };
  return (abortSignal = new AbortController().signal) => requestHandler.handle(request, { abortSignal });
}

it("fails where the connection ends before the answer does, and opens another", async () => {
  const send = await wayTo((socket, request) =>
    request === 0
      ? socket.end("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{")
      : socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"),
  );
  await expect(send()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await send()).response.statusCode).toBe(200);
});

it("gives up a request that is aborted before or while it waits", async () => {
  const leaving = new AbortController();
  const send = await wayTo(() => leaving.abort());
  await expect(send(leaving.signal)).rejects.toMatchObject({ name: "AbortError" });
  await expect(send(leaving.signal)).rejects.toMatchObject({ name: "AbortError" });
});
