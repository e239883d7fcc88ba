import { describe, expect, it } from "vitest";
import { changeAndCompare } from "./listed-pages.ts";

describe("pages of repositories and issues", () => {
  it("are those of a process that has just begun, after hundreds of changes by nearly every verb", async () => {
    const done = await changeAndCompare(250);
    const never = [...done].filter(([, count]) => count === 0).map(([verb]) => verb);
    expect(never.length, never.join(", ")).toBeLessThanOrEqual(8);
  });
});
