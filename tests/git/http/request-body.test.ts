import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readBody } from "#functions/git/request-body";

/** A request whose client sends a byte now and then, for ever. */
function dripping(): Request {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await delay(5);
      controller.enqueue(Uint8Array.of(0x30));
    },
  });
  return new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
}

async function readAll(request: Request, bounds: Partial<Parameters<typeof readBody>[1]>): Promise<number> {
  let size = 0;
  const all = { limitBytes: 2 ** 20, idleMs: 60_000, totalMs: 60_000, ...bounds };
  for await (const piece of readBody(request, all)) size += piece.length;
  return size;
}

describe("readBody", () => {
  it("ends a client that drips, however busy it looks", async () => {
    await expect(readAll(dripping(), { totalMs: 60 })).rejects.toThrow("took more than 0.06 s");
  });

  it("counts as silence what it waits for alone, not the time that its reader takes", async () => {
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(Uint8Array.of(0x30));
        pieces += 1;
        if (pieces === 3) controller.close();
      },
    });
    const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
    let size = 0;
    for await (const piece of readBody(request, { limitBytes: 9, idleMs: 5, totalMs: 60_000 })) {
      size += piece.length;
      await delay(25);
    }
    expect(size).toBe(3);
  });

  it("ends a client that falls silent", async () => {
    const body = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
    await expect(readAll(request, { idleMs: 5 })).rejects.toThrow("nothing came from the client for 0.005 s");
  });

  it("ends a body beyond its bound", async () => {
    await expect(readAll(dripping(), { limitBytes: 3 })).rejects.toThrow("more than 3 bytes");
  });
});
