import { describe, expect, it } from "vitest";
import { PushProgress } from "#core/git/protocol/push-progress";

const text = (frame: Buffer) => frame.toString("latin1", 4);

describe("PushProgress", () => {
  it("says how far the work is, once for each step, and ends its line", () => {
    const progress = new PushProgress();
    expect([text(progress.frame()), progress.end()]).toEqual(["\x02", []]);
    progress.note({ stage: "receiving", done: 10, total: 40 });
    progress.note({ stage: "receiving", done: 30, total: 40 });
    expect(text(progress.frame())).toBe("\x02Checking objects: 75% (30/40)\r");
    expect(text(progress.frame())).toBe("\x02");
    progress.note({ stage: "resolving", done: 0, total: 3 });
    expect(text(progress.frame())).toBe("\x02\nResolving deltas: 0% (0/3)\r");
    expect(progress.end().map(text)).toEqual(["\x02\n"]);
  });
});
