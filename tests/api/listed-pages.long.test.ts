import { describe, expect, it } from "vitest";
import { changeAndCompare } from "./listed-pages.ts";

describe("pages of repositories and issues", () => {
  it("are those of a process that has just begun, after hundreds of changes; each verb went through", async () => {
    const done = await changeAndCompare(500);
    expect([...done].filter(([, count]) => count === 0)).toEqual([]);
  });
});
