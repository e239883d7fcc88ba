import { describe, expect, it } from "vitest";
import {
  dataPacket,
  delimiterPacket,
  flushPacket,
  lineOf,
  maxPayloadBytes,
  type Packet,
  PacketReader,
} from "#core/git/protocol/pkt-line";
import { ProtocolError } from "#core/git/protocol/protocol-error";

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(reader: PacketReader): Promise<Packet[]> {
  const packets: Packet[] = [];
  for (let packet = await reader.read(); packet !== undefined; packet = await reader.read())
    packets.push(packet);
  return packets;
}

describe("dataPacket", () => {
  it("writes the length of the whole packet in four hexadecimal digits", () => {
    expect(dataPacket("hello\n").toString()).toBe("000ahello\n");
    expect(dataPacket("").toString()).toBe("0004");
    expect(dataPacket("ü").toString()).toBe("0006ü");
  });

  it("refuses a payload that does not fit", () => {
    expect(dataPacket(Buffer.alloc(maxPayloadBytes)).subarray(0, 4).toString()).toBe("fff0");
    expect(() => dataPacket(Buffer.alloc(maxPayloadBytes + 1))).toThrow(RangeError);
  });
});

describe("PacketReader", () => {
  const stream = Buffer.concat([
    dataPacket("one\n"),
    flushPacket,
    dataPacket("two"),
    delimiterPacket,
    Buffer.from("0002"),
    dataPacket(Buffer.alloc(maxPayloadBytes, 7)),
    dataPacket(""),
  ]);

  it.each([1, 3, 4096, 1_000_000])("reads the same packets from pieces of %i bytes", async (size) => {
    const packets = await readAll(new PacketReader(inPieces(stream, size)));
    expect(packets.map(({ kind }) => kind)).toEqual([
      "data",
      "flush",
      "data",
      "delimiter",
      "response-end",
      "data",
      "data",
    ]);
    const lines = packets.flatMap((packet) => (packet.kind === "data" ? [packet.payload] : []));
    expect(lines.map((line) => line.length)).toEqual([4, 3, maxPayloadBytes, 0]);
    expect(lineOf(lines[0] as Buffer)).toBe("one");
  });

  it("hands over what follows the packets byte for byte", async () => {
    const reader = new PacketReader(
      inPieces(Buffer.concat([dataPacket("a"), flushPacket, Buffer.from("PACKrest")]), 5),
    );
    await reader.read();
    await reader.read();
    const rest: Buffer[] = [];
    for await (const piece of reader.rest()) rest.push(piece);
    expect(Buffer.concat(rest).toString()).toBe("PACKrest");
  });

  it.each([
    ["a length that is not hexadecimal", "00zzhello"],
    ["a signed length", "-004"],
    ["the unused length 3", "0003"],
    ["a length above the bound", "fff1"],
    ["the letters of another protocol", "GET / HTTP/1.1"],
  ])("refuses %s", async (_, text) => {
    await expect(readAll(new PacketReader(inPieces(Buffer.from(text), 64)))).rejects.toThrow(ProtocolError);
  });

  it.each(["00", "000ahel"])("refuses a stream that ends inside a packet: %j", async (text) => {
    await expect(readAll(new PacketReader(inPieces(Buffer.from(text), 64)))).rejects.toThrow(
      "ends inside a packet",
    );
  });

  it("closes its source when it is closed", async () => {
    let isClosed = false;
    async function* source() {
      try {
        yield dataPacket("a");
        yield dataPacket("b");
      } finally {
        isClosed = true;
      }
    }
    const reader = new PacketReader(source());
    await reader.read();
    await reader.close();
    expect(isClosed).toBe(true);
  });
});
