import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mergePieces } from "#infra/local/http/merged-pieces";

let server: Server;
const bodies: { pieces: number; text: string }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const body = { pieces: 0, text: "" };
    request.on("data", (piece: Buffer) => {
      body.pieces += 1;
      body.text += piece.toString("latin1");
    });
    request.on("end", () => {
      bodies.push(body);
      response.end();
    });
  });
  mergePieces(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function send(chunks: readonly string[]): Promise<void> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const head = "POST / HTTP/1.1\r\nHost: forge\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
  socket.end(`${head}${body}0\r\n\r\n`);
  socket.resume();
  await once(socket, "close");
}

describe("a body in chunks of one byte", () => {
  it("comes to its reader in as many pieces as the network brought, in order", async () => {
    const chunks = Array.from({ length: 50_000 }, (_, at) => String(at % 10));
    await send(chunks);
    const [body] = bodies.splice(0);
    expect(body?.text).toBe(chunks.join(""));
    expect(body?.pieces).toBeLessThan(1_000);
  });

  it("is whole when it is empty, and when its chunks are large", async () => {
    await send([]);
    const large = ["a".repeat(300_000), "b".repeat(300_000)];
    await send(large);
    expect(bodies.splice(0).map(({ text }) => text)).toEqual(["", large.join("")]);
  });
});
