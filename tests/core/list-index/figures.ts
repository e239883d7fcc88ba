import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IssueFilter, type IssueOrder, issueIndex } from "#core/issue/issue.index";
import type { IssueEntry } from "#core/issue/issue-entry";
import { deltaWrite, listFromIndex } from "#core/list-index/list-index";
import { fillListIndex } from "#tests/support/fill-list-index";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { createRandom } from "#tests/support/random";
import { expected } from "./brute-force.ts";

/** Filters of clients, each with an order: two labels and a state, a milestone, an assignee … */
const combinations = {
  open: [{ state: "open" }, "latest"],
  "closed issues": [{ state: "closed", type: "issue" }, "latest"],
  all: [{}, "latest"],
  "open with two labels": [{ state: "open", labelGroups: [[1], [2]] }, "latest"],
  milestone: [{ milestoneIds: new Set([3]) }, "latest"],
  "assignee, by update": [{ assigneeId: 5 }, "recentupdate"],
  "author, by comments": [{ authorId: 9 }, "mostcomment"],
  "updated since, by deadline": [{ updatedSince: 980_000 }, "nearduedate"],
} as const satisfies Record<string, readonly [IssueFilter, IssueOrder]>;
type Combination = keyof typeof combinations;

const limit = 50;
/** As issues change: most of them among the newest, the others anywhere in the newest sixteen segments. */
const deltaLength = 57;

/** The cost of a list of 50 in an index of so many issues: `mostUnits` are read units of its first page, cold. */
export function describeFigures(count: number, mostUnits: Readonly<Record<Combination, number>>): void {
  const { integer, chance, some } = createRandom(7);
  const index = issueIndex(1);
  const issues = new Map<number, IssueEntry>();
  let on: TestForge;

  /** `age` 0 for the oldest, 1 for the newest. */
  const anyIssue = (age: number): IssueEntry => ({
    ...{
      isPull: chance(0.3),
      isClosed: chance(0.8 - age * 0.5),
      isMerged: false,
      isDraft: false,
      isLocked: false,
    },
    ...{ authorId: 1 + integer(200), milestoneId: integer(20), labelIds: some([1, 2, 3, 4, 5, 6], 3) },
    ...{ assigneeIds: chance(0.5) ? [1 + integer(30)] : [], pin: 0, comments: integer(40) },
    ...{ createdAt: Math.floor(age * 1e6), updatedAt: Math.floor(age * 1e6) },
    deadline: chance(0.9) ? 0 : integer(1e6),
  });

  describe(`lists of 50 of ${count} issues, ${deltaLength} changed since the compaction`, () => {
    beforeAll(async () => {
      on = await makeForge({ simulation: false });
      for (let number = 1; number <= count; number += 1) issues.set(number, anyIssue(number / count));
      await fillListIndex(on.forge, index, issues);
      for (let at = 0; at < deltaLength; at += 1) {
        const near = chance(0.6) ? integer(900) : 1_024 * integer(16) + integer(900);
        const number = Math.max(1, count - near);
        const changed = anyIssue(1);
        issues.set(number, changed);
        await on.forge.table.write(deltaWrite(index, number, changed, 2));
      }
    });
    afterAll(() => on.stop());

    it.each(Object.keys(combinations) as Combination[])(
      "%s: first, middle, last page and total are those of brute force; warm one query",
      async (name) => {
        const [filter, by] = combinations[name];
        const all = expected(issues, filter, { by });
        const last = Math.ceil(all.length / limit);
        const query = { filter, sort: { by }, limit, countTotal: async () => all.length };
        const cold = { ...on.forge, table: { ...on.forge.table } };
        const ask = (page: number) => measured(() => listFromIndex(cold, index, { ...query, page }));
        const first = await ask(1);
        expect(first.usage.tableReadUnits).toBeLessThanOrEqual(mostUnits[name]);
        expect(first.usage.operations).toMatchObject({ "dynamodb:Query": 1 });
        for (const page of [1, Math.ceil(last / 2), last, last + 1, 1_000_000]) {
          const { result } = await ask(page);
          const ids = all.slice((page - 1) * limit, page * limit);
          expect(result, `page ${page}`).toEqual({ ids, total: all.length });
          const warm = await ask(page);
          expect(warm.usage.operations).toEqual({ "dynamodb:Query": 1 });
          expect(warm.usage.tableReadUnits).toBeLessThanOrEqual(3);
        }
      },
    );
  });
}
