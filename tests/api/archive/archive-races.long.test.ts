import { buffer } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { pushFiles } from "#tests/support/code";
import { alice, api, processOf, stored, useArchives } from "./archive-races-world.ts";

useArchives();

describe("getArchive asked for at once (OP-repoGetArchive)", () => {
  it("by two processes leaves one object, which both give out", async () => {
    let arrived = 0;
    const both = async () => {
      arrived += 1;
      while (arrived < 2) await turn();
    };
    const [one, other] = [processOf(both), processOf(both)];
    const [first, second] = await Promise.all([one.ask("main.tar.gz"), other.ask("main.tar.gz")]);
    expect([one.uploads.length, other.uploads.length, await stored(".tar.gz")]).toEqual([1, 1, 1]);
    expect((await buffer(first.read())).equals(await buffer(second.read()))).toBe(true);
    await processOf().ask("main.tar.gz");
    expect(await stored(".tar.gz")).toBe(1);
  });

  it("by one caller for many: one after the other, and more than a few are refused (429)", async () => {
    let [atOnce, most] = [0, 0];
    const { ask } = processOf(async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      for (let turns = 0; turns < 5; turns += 1) await turn();
      atOnce -= 1;
    });
    const branches = Array.from({ length: 20 }, (_, at) => `many-${at}`);
    for (const branch of branches) {
      await pushFiles(api, alice, "project", { branch, from: "main", files: { "c.txt": branch } });
    }
    const answers = await Promise.allSettled(branches.map((branch) => ask(`${branch}.zip`)));
    const refused = answers.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused.map(({ code }) => code)).toEqual(Array(3).fill("rate-limited"));
    expect(most).toBe(1);
  });
});
