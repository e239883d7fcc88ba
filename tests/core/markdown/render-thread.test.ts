import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { RenderThread } from "#core/markdown/render-thread";
import { bundled } from "#tests/support/bundled-script";

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
const ada = { caller: "ada" };
const request = (text: string, mostBytes = 1_000_000) => ({
  text,
  mostBytes,
  options: { mode: "markdown" } as const,
});

describe("RenderThread", () => {
  it("ends a text that takes too long, with 422, and renders the next on a new thread", async () => {
    const thread = makeThread(1_500);
    const hostile = thread.render(request("<div>\n".repeat(170_000)), ada);
    const next = thread.render(request("# a"), { caller: "bob" });
    await expect(hostile).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(/too long/),
    });
    expect(await next).toContain("<h1");
  });

  it("refuses HTML that is longer than the caller takes", async () => {
    const many = makeThread().render(request("*a* ".repeat(1_000), 5_000), ada);
    await expect(many).rejects.toMatchObject({ code: "invalid" });
  });

  it("renders for others while texts of one caller take too long, who is told to come back then", async () => {
    const thread = makeThread(6_000);
    const hostile = Array.from({ length: 3 }, () =>
      thread.render(request("<div>\n".repeat(170_000)), { caller: "hostile" }),
    );
    const others = ["bob", "carol"].map((caller) => thread.render(request(caller), { caller }));
    const refused = Promise.allSettled(hostile);
    expect(await Promise.all(others)).toEqual(["<p>bob</p>\n", "<p>carol</p>\n"]);
    const codes = (await refused).map((one) => (one.status === "rejected" ? one.reason.code : one.status));
    expect(codes).toEqual(["invalid", "rate-limited", "rate-limited"]);
  });

  it("does not render for a caller who left before his turn", async () => {
    const gone = makeThread().render(request("x"), { ...ada, signal: AbortSignal.abort() });
    await expect(gone).rejects.toMatchObject({ code: "unavailable" });
  });
});
