import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { pushFiles } from "#tests/support/code";
import { alice, api, processOf, stored, useArchives } from "./archive-races-world.ts";

useArchives();

describe("getArchive asked for at once (OP-repoGetArchive)", () => {
  it("by several callers of one process is made once", async () => {
    const { uploads, ask } = processOf();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask("main.zip")));
    expect([uploads.length, await stored(".zip")]).toEqual([1, 1]);
    const bytes = await Promise.all(answers.map(({ read }) => buffer(read())));
    for (const one of bytes) expect(one.equals(bytes[0] as Buffer)).toBe(true);
  });

  it("by one who leaves midway: it is made to its end, and who asks again is given it", async () => {
    const leaving = new AbortController();
    const { ask, uploads } = processOf(async () => leaving.abort(new Error("left")));
    await pushFiles(api, alice, "project", { branch: "midway", from: "main", files: { "b.txt": "x" } });
    await expect(ask("midway.zip", leaving.signal)).rejects.toThrow("left");
    expect((await buffer((await ask("midway.zip")).read())).length).toBeGreaterThan(100);
    expect(uploads).toHaveLength(1);
  });
});
