import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { gaveWay } from "#core/capacity/intake";
import { type BodyBounds, IncomingBody } from "#functions/http/body/incoming-body";

const requestOf = (body: ReadableStream<Uint8Array>) =>
  new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);

/** A request whose client sends a byte now and then, for ever. */
const dripping = () =>
  requestOf(
    new ReadableStream({
      async pull(controller) {
        await delay(5);
        controller.enqueue(Uint8Array.of(0x30));
      },
    }),
  );

const bodyOf = (request: Request, bounds: Partial<BodyBounds>) =>
  new IncomingBody(request, {
    ...{ limitBytes: 2 ** 20, leastBytes: 1, windowMs: 60_000, totalMs: 60_000 },
    ...bounds,
  });

async function sizeOf({ bytes }: IncomingBody): Promise<number> {
  let size = 0;
  for await (const piece of bytes) size += piece.length;
  return size;
}

describe("IncomingBody", () => {
  it("ends a client that drips, however busy it looks", async () => {
    const slow = bodyOf(dripping(), { leastBytes: 1000, windowMs: 60 });
    await expect(sizeOf(slow)).rejects.toMatchObject({
      code: "too-slow",
      message: "the body came too slowly: less than 1000 bytes in 0.06 s",
    });
    const endless = bodyOf(dripping(), { totalMs: 60 });
    await expect(sizeOf(endless)).rejects.toThrow("took more than 0.06 s");
  });

  it("counts what it waits for alone, not the time that its reader takes", async () => {
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(Uint8Array.of(0x30));
        pieces += 1;
        if (pieces === 3) controller.close();
      },
    });
    let size = 0;
    const { bytes } = bodyOf(requestOf(body), { limitBytes: 9, leastBytes: 100, windowMs: 20 });
    for await (const piece of bytes) {
      size += piece.length;
      await delay(30);
    }
    expect(size).toBe(3);
  });

  it("ends a client that falls silent", async () => {
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    await expect(sizeOf(bodyOf(requestOf(silent), { windowMs: 5 }))).rejects.toThrow("came too slowly");
  });

  it("ends a body beyond its bound, and one that has to give way", async () => {
    await expect(sizeOf(bodyOf(dripping(), { limitBytes: 3 }))).rejects.toThrow("at most 3 bytes");
    const body = bodyOf(dripping(), {});
    const read = sizeOf(body);
    body.end(gaveWay());
    await expect(read).rejects.toMatchObject({ code: "too-slow" });
  });
});
