import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { sourceFiles } from "./own-imports.ts";

/** As many names as a reader takes in at a glance. */
const most = 25;

describe("folders", () => {
  it("hold at most 25 files of their own: more are laid into rooms, those of tests as those of their source", () => {
    const counts = new Map<string, number>();
    for (const file of sourceFiles("core", "functions", "infra", "tests")) {
      const folder = dirname(file);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect(counts.size).toBeGreaterThan(200);
    const full = [...counts].filter(([, count]) => count > most);
    expect(full).toEqual([]);
  });
});
