import { createHash, randomFillSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendFile } from "#infra/local/s3/send-file";

const content = randomFillSync(Buffer.alloc(48 * 2 ** 20));
let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-send-file-"));
  path = join(folder, "file");
  await writeFile(path, content);
});
afterAll(() => rm(folder, { recursive: true }));

/** A server that sends the file to each client; tells how far it has read, into how many buffers, and what came of it. */
async function startSender(part = { start: 0, end: content.length }) {
  const facts = { readTo: 0, memories: new Set<ArrayBufferLike>() };
  const outcomes: Promise<unknown>[] = [];
  const server = createServer((_request, response) => {
    const work = async () => {
      const file = await open(path);
      const read = async (bytes: Buffer, offset: number, length: number, position: number) => {
        facts.memories.add(bytes.buffer);
        facts.readTo = position + length;
        return file.read(bytes, offset, length, position);
      };
      response.writeHead(200, { "content-length": part.end - part.start });
      const counted = { read } as unknown as typeof file;
      await sendFile(counted, part, response).finally(() => file.close());
    };
    outcomes.push(work().catch((error: unknown) => error));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
  return { facts, outcomes, client, stop: () => server.close() };
}

describe("sendFile", () => {
  it("reads no faster than a slow client, and leaves alone what its socket holds", async () => {
    const { facts, outcomes, client, stop } = await startSender();
    client.pause();
    await once(client, "connect");
    for (let turns = 0, before = -1; turns < 200; turns += 1, before = facts.readTo) {
      if (facts.readTo === 0 || facts.readTo !== before) turns = 0;
      await turn();
    }
    expect(facts.readTo).toBeLessThan(content.length / 2);
    const received: Buffer[] = [];
    for await (const chunk of client as AsyncIterable<Buffer>) {
      received.push(chunk);
      if (received.length % 8 === 0) await turn();
    }
    const answer = Buffer.concat(received);
    const body = answer.subarray(answer.indexOf("\r\n\r\n") + 4);
    const sum = (bytes: Buffer) => createHash("sha1").update(bytes).digest("hex");
    expect(body.length).toBe(content.length);
    expect(sum(body)).toBe(sum(content));
    expect(await Promise.all(outcomes)).toEqual([undefined]);
    expect(facts.memories.size).toBe(2);
    stop();
  });

  it("sends a part that is shorter than a buffer", async () => {
    const { outcomes, client, facts, stop } = await startSender({ start: 7, end: 1007 });
    const received: Buffer[] = [];
    for await (const chunk of client as AsyncIterable<Buffer>) received.push(chunk);
    expect(Buffer.concat(received).subarray(-1000).equals(content.subarray(7, 1007))).toBe(true);
    expect(await Promise.all(outcomes)).toEqual([undefined]);
    expect(facts.memories.size).toBe(1);
    stop();
  });

  it("ends when the client leaves", async () => {
    const { outcomes, client, facts, stop } = await startSender();
    await once(client, "data");
    client.destroy();
    expect(await outcomes[0]).toBeInstanceOf(Error);
    expect(facts.readTo).toBeLessThan(content.length);
    stop();
  });
});
