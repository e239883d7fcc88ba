import { describe, expect, it } from "vitest";
import { withKeepAlive } from "#core/git/protocol/keep-alive";
import { PacketReader } from "#core/git/protocol/pkt-line";
import { band, bandFrame, bandFrames, keepAliveFrame, maxFrameBytes } from "#core/git/protocol/side-band";

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
}

describe("bandFrames", () => {
  it.each([0, 1, maxFrameBytes - 1, maxFrameBytes, maxFrameBytes + 1, 200_000])(
    "carries %i bytes over in frames no larger than allowed",
    async (size) => {
      const data = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
      const pieces = [data.subarray(0, 10), data.subarray(10, 70_000), data.subarray(70_000)];
      const frames = await collect(bandFrames(band.data, pieces));
      const reader = new PacketReader(
        (async function* () {
          yield* frames;
        })(),
      );
      const payloads: Buffer[] = [];
      for (let packet = await reader.read(); packet?.kind === "data"; packet = await reader.read()) {
        expect(packet.payload[0]).toBe(band.data);
        payloads.push(packet.payload.subarray(1));
      }
      expect(Buffer.concat(payloads).equals(data)).toBe(true);
      expect(frames.every((frame) => frame.length <= 65_520)).toBe(true);
    },
  );

  it("copies what it is given, so that the pieces' memory may be used again", async () => {
    const memory = Buffer.from("first");
    async function* reusing() {
      yield memory;
      memory.write("other");
      yield memory;
    }
    const [frame] = await collect(bandFrames(band.data, reusing()));
    expect(frame?.subarray(5).toString()).toBe("firstother");
  });
});

describe("bandFrame", () => {
  it("writes length, band and text", () => {
    expect(bandFrame(band.progress, "hi\n").toString("latin1")).toBe("0008\x02hi\n");
    expect(keepAliveFrame.toString("latin1")).toBe("0005\x02");
  });
});

describe("withKeepAlive", () => {
  it("fills the silence of a slow source and ends with it", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* slow() {
      yield "begin";
      await gate;
      yield "end";
    }
    const seen: string[] = [];
    for await (const piece of withKeepAlive(slow(), () => "alive", 5)) {
      seen.push(piece);
      if (seen.length === 4) release();
    }
    expect(seen.slice(0, 4)).toEqual(["begin", "alive", "alive", "alive"]);
    expect(seen.at(-1)).toBe("end");
  });

  it("adds nothing to a source that keeps coming", async () => {
    async function* quick() {
      for (let number = 0; number < 100; number++) yield number;
    }
    expect(await collect(withKeepAlive(quick(), () => -1, 60_000))).toHaveLength(100);
  });

  it("passes the source's failure on", async () => {
    async function* failing(): AsyncGenerator<string> {
      yield "begin";
      throw new Error("broken");
    }
    await expect(collect(withKeepAlive(failing(), () => "alive", 60_000))).rejects.toThrow("broken");
  });
});
