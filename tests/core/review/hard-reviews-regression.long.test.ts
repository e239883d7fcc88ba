import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import { expressionProblemTask } from "#core/pattern/expression-task";
import { changedLines } from "#core/review/code/changed-lines";
import { hunksUpTo } from "#core/review/code/hunk";
import { changedLinesTask, hunksUpToTask } from "#core/review/code/review-tasks";
import { ownersOfTask } from "#core/review/code-owners/code-owners-task";
import { followTexts } from "#core/review/follow-texts";
import { ownMs, turnsDuring } from "#tests/support/thread-time";

/** A file of which each line is another one. */
const lines = 50_000;
const rewritten = { before: Buffer.from("a\n".repeat(lines)), after: Buffer.from("b\n".repeat(lines)) };
const [small, writing] = [
  { before: Buffer.from("a\n"), after: Buffer.from("b\n") },
  { at: 0, isDated: false },
];

describe("a review of much", () => {
  it("finds the hunks of many lines of a large file in one pass each over bytes (80 ms for each before), on a thread", () => {
    const places = Array.from({ length: 100 }, (_, at) => ({ side: "new", line: lines - at }) as const);
    const find = () => hunksUpTo(rewritten, places);
    expect(find()[0]).toBe(`@@ -${lines},0 +${lines - 4},5 @@\n+b\n+b\n+b\n+b\n+b`);
    expect(ownMs(find)).toBeLessThan(2_000);
    expect(hunksUpToTask.isSmall?.({ ...rewritten, places })).toBe(false);
    expect(hunksUpToTask.isSmall?.({ ...small, places })).toBe(true);
  });

  it("names the changed lines of a large file on a thread, without the numbers of their hunks", () => {
    const { length } = changedLines(rewritten);
    expect(length).toBe(2 + 3 * 2 * lines);
    expect(changedLines(small).toString()).toBe("@\n-a\n+b\n");
    expect(changedLinesTask.isSmall?.(rewritten)).toBe(false);
    expect(changedLinesTask.isSmall?.(small)).toBe(true);
  });

  it("reads expressions with counted repetitions on a thread: they take long to compile", () => {
    const [hard, plain] = ["(a?b?){999}", "docs/.*"];
    expect(expressionProblemTask.isSmall?.({ source: hard })).toBe(false);
    expect(expressionProblemTask.isSmall?.({ source: plain })).toBe(true);
    const owned = (expression: string, path: string) => ({ text: `${expression} @root`, paths: [path] });
    expect(ownersOfTask.isSmall?.(owned(hard, "a"))).toBe(false);
    expect(ownersOfTask.isSmall?.(owned(plain, "a".repeat(10_000)))).toBe(false);
    expect(ownersOfTask.isSmall?.(owned(plain, "a"))).toBe(true);
  });

  it("lets others run between its texts, and reads no more of them than have an effect", async () => {
    let read = 0;
    async function* texts(body: string): AsyncGenerator<TimelineEntry> {
      for (let id = 1; id <= 300; id++) {
        read = id;
        yield { id, repositoryId: 1, issueNumber: 1, body } as TimelineEntry;
      }
    }
    const forge = { config: { rootUrl: "https://forge.example.com" }, clock: { now: () => 0 } } as Forge;
    const nothing = texts("x@y".repeat(21_000));
    const turns = await turnsDuring(() => followTexts(forge, nothing, "published", writing));
    expect([turns > 4, read]).toEqual([true, 300]);
    await followTexts(forge, texts("as @alice said"), "published", writing);
    expect(read).toBe(20);
  });
});
