import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { RenderThread } from "#core/markdown/render-thread";
import { bundled } from "#tests/git/pack/bundled";

let folder: string;
let script: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-render-"));
  script = await bundled("core/markdown/render-worker.ts", folder);
});
afterAll(() => rm(folder, { recursive: true }));

function makeThread(longestMs?: number): RenderThread {
  const thread = new RenderThread(script, longestMs === undefined ? {} : { longestMs });
  onTestFinished(() => thread.close());
  return thread;
}
const request = (text: string, mostBytes = 1_000_000) => ({
  text,
  mostBytes,
  options: { mode: "markdown" } as const,
});

describe("RenderThread", () => {
  it("ends a text that takes too long, with 422, and renders the next on a new thread", async () => {
    const thread = makeThread(1_500);
    const hostile = thread.render(request("<div>\n".repeat(170_000)));
    const next = thread.render(request("# a"));
    await expect(hostile).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(/too long/),
    });
    expect(await next).toContain("<h1");
  });

  it("refuses HTML that is longer than the caller takes", async () => {
    const many = makeThread().render(request("*a* ".repeat(1_000), 5_000));
    await expect(many).rejects.toMatchObject({ code: "invalid" });
  });

  it("tells who comes when 32 wait to come back, and works on what waits", async () => {
    const busy = makeThread();
    const waiting = Array.from({ length: 32 }, (_, at) => busy.render(request(`${at}`)));
    await expect(busy.render(request("late"))).rejects.toMatchObject({
      code: "rate-limited",
      retryAfterSeconds: 2,
    });
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 32 }, (_, at) => `<p>${at}</p>\n`));
    expect(await busy.render(request("late"))).toBe("<p>late</p>\n");
  });

  it("does not render for a caller who left before his turn", async () => {
    const gone = makeThread().render(request("x"), AbortSignal.abort());
    await expect(gone).rejects.toMatchObject({ code: "unavailable" });
  });
});
