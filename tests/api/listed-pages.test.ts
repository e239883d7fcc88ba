import { describe, expect, it } from "vitest";
import { changeAndCompare } from "./listed-pages.ts";

describe("pages of repositories and issues", () => {
  it("are those of a process that has just begun, after changes by any verb", async () => {
    const done = await changeAndCompare(24);
    expect([...done.values()].filter((count) => count > 0).length).toBeGreaterThan(10);
  }, 120_000);
});
