import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
import { entryRowKey } from "#core/comment/comment.table";
import { editKey } from "#core/content-history/content-history.table";
import { createDependency } from "#core/dependency/dependency";
import { blockingRow } from "#core/dependency/dependency.table";
import { issueSequenceKey } from "#core/ids";
import { editIssue } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { assignedRow, createdRow, type Issue, issueKey, subscriptionKey } from "#core/issue/issue.table";
import { createLabel, editLabel } from "#core/label/label";
import { checkRepository } from "#core/lifecycle/check/check";
import {
  entryKey,
  issueIndexPartition,
  manifestKey,
  segmentKey,
  segmentPrefixes,
} from "#core/list-index/list-index.table";
import { createMilestone } from "#core/milestone/milestone";
import { milestoneKey } from "#core/milestone/milestone.table";
import { reactionKey } from "#core/reaction/reaction.table";
import { mentionKey, textReferencesKey } from "#core/reference/reference.table";
import { startStopwatch } from "#core/stopwatch/stopwatch";
import { stopwatchKey } from "#core/stopwatch/stopwatch.table";
import { put, remove, type TableKey } from "#core/table/write";
import { addTime } from "#core/tracked-time/change";
import { rowKeys } from "#core/tracked-time/tracked-time.table";
import { postingKey, waitingKey } from "#core/word-index/word-index.table";
import { type CheckedWorld, findAndMend, makeCheckedWorld, together, type Violation } from "./make.ts";

let world: CheckedWorld;
/** Whole again after the possible repairs. */
let whole: RepositoryAccess;
let access: RepositoryAccess;
beforeAll(async () => {
  world = await makeCheckedWorld();
  whole = await world.makeRepository();
});
beforeEach(() => {
  access = whole;
});
afterAll(() => world.test.stop());

const id = () => access.repository.id;
const place = (number: number, commentId = 0) => ({ repositoryId: id(), number, commentId });
const issue = async (number: number) => (await world.forge.table.get<Issue>(issueKey(id(), number))) as Issue;

const damagedSegment = async () =>
  world.set(await world.first(issueIndexPartition(id()), segmentPrefixes[0]), {
    b: Buffer.from("damaged"),
  });
const ofIssues: Violation[] = [
  {
    what: "a counter that was set back",
    isAlone: true,
    invariants: [9],
    plant: () => world.set(issueSequenceKey(id()), { n: 1 }),
  },
  {
    what: "a milestone that counts an issue it has not",
    invariants: [11],
    plant: async () => {
      const { id: milestone } = await createMilestone(world.forge, id(), { title: "v1" });
      await world.set(milestoneKey(id(), milestone), { openIssues: 1 });
    },
  },
  {
    what: "an entry that is not in the list index",
    invariants: [10],
    plant: () => world.write(remove(entryKey(issueIndexPartition(id()), 2))),
  },
  {
    what: "an entry that is not what the issue says",
    isAlone: true,
    invariants: [10],
    plant: () => world.set(issueKey(id(), 1), { isLocked: true }),
  },
  {
    what: "an issue that is gone from under its entry",
    needsOwn: true,
    invariants: [10, 11, 19, 27], // its text was edited
    plant: () => world.write(remove(issueKey(id(), 2))),
  },
  {
    what: "a manifest that can't be read",
    needsOwn: true,
    invariants: [10, 12],
    plant: () => world.set(manifestKey(issueIndexPartition(id())), { s: Buffer.from("?") }),
  },
  {
    what: "a segment that is missing",
    needsOwn: true,
    invariants: [10, 12],
    plant: async () => world.write(remove(await world.first(issueIndexPartition(id()), segmentPrefixes[0]))),
  },
  { what: "a segment that is damaged", needsOwn: true, invariants: [10, 12], plant: damagedSegment },
  {
    what: "a tracked time that two lists lack",
    invariants: [26],
    plant: async () => {
      const { time } = await addTime(world.forge, access, 1, { seconds: 60 }, world.actor);
      for (const key of rowKeys(time)) await world.write(remove(key));
    },
  },
  {
    what: "a row of a tracked time that is not there",
    invariants: [26],
    plant: async () => {
      const { time } = await addTime(world.forge, access, 1, { seconds: 60 }, world.actor);
      await world.write(remove(time));
      await world.write(remove(rowKeys(time)[1] as TableKey));
    },
  },
  {
    what: "a stopwatch that does not run",
    invariants: [26],
    plant: async () => {
      await startStopwatch(world.forge, access, 1, world.actor);
      await world.write(remove(stopwatchKey(world.actor.user.id)));
    },
  },
  {
    what: "an issue that waits for one that does not know of it",
    invariants: [27],
    plant: async () => {
      const other = await createIssue(world.forge, access, { title: "waits" }, world.actor);
      const waits = { access, number: other.number };
      await createDependency(world.forge, world.actor, waits, { access, number: 1 });
      await world.write(remove(blockingRow(await issue(1), other)));
    },
  },
  {
    what: "reactions on a comment and a subscription to an issue that are not there",
    invariants: [27],
    plant: async () => {
      const reaction = { userId: 1, content: "heart", createdAt: 1, _v: 1 };
      await world.write(put({ ...reactionKey(place(1, 999), 1, "heart"), ...reaction }));
      await world.write(put({ ...subscriptionKey(id(), 3, 1), userId: 1, isSubscribed: true, _v: 1 }));
    },
  },
  {
    what: "edits of a comment and of an issue that are not there",
    invariants: [27],
    plant: async () => {
      const edit = { number: 1, userId: 1, at: 1, former: "was", _v: 1 };
      for (const lost of [place(1, 999), place(3)]) await world.write(put({ ...editKey(lost, 1), ...edit }));
    },
  },
  {
    what: "a text that has lost one of its edits",
    invariants: [35],
    isLeft: true,
    plant: () => world.write(remove(editKey(place(2), 1))),
  },
  {
    what: "a segment of the list index that nothing names and nothing will sweep",
    invariants: [12],
    plant: () =>
      world.write(
        put({ ...segmentKey(issueIndexPartition(id()), 1, "ab".repeat(8)), b: Buffer.alloc(9), _v: 1 }),
      ),
  },
  {
    what: "an issue that counts its comments wrong",
    isAlone: true,
    invariants: [10, 11],
    plant: () => world.set(issueKey(id(), 1), { comments: 4 }),
  },
  {
    what: "an issue that is closed without a time",
    invariants: [16],
    isLeft: true,
    plant: () => world.set(issueKey(id(), 2), { closedAt: 0 }),
  },
  {
    what: "a row without its comment",
    invariants: [17],
    plant: () =>
      world.write(
        put({
          ...entryRowKey(id(), 9_999),
          id: 9_999,
          issueNumber: 1,
          issueKind: "issue",
          isPlain: true,
          updatedAt: 1,
          _v: 1,
        }),
      ),
  },
  {
    what: "a comment without its row",
    invariants: [17],
    plant: async () => world.write(remove(await world.first(`R#${id()}#C`, ""))),
  },
  {
    what: "an issue without its author's row",
    invariants: [17],
    plant: async () => world.write(remove(createdRow(await issue(1)))),
  },
  {
    what: "an issue without its assignee's row",
    invariants: [17],
    plant: async () => {
      const assigned = { title: "yours", assignees: [world.actor.user.name] };
      const made = await createIssue(world.forge, access, assigned, world.actor);
      await world.write(remove(assignedRow(made, world.actor.user.id)));
    },
  },
  {
    what: "a word that is not posted",
    invariants: [19],
    plant: () => world.write(remove(postingKey(place(1), "first"))),
  },
  {
    what: "a mention that its user lacks",
    invariants: [30],
    plant: () => world.write(put({ ...mentionKey(id(), 1, 77), userId: 77, _v: 1 })),
  },
  {
    what: "a reference that nothing tells",
    invariants: [30],
    plant: () => {
      const references = [{ repositoryId: id(), number: 1, action: "none", entryId: 9 }];
      return world.write(put({ ...textReferencesKey(place(2)), references, v: 1, _v: 1 }));
    },
  },
  {
    what: "an entry of a text that refers to nothing",
    invariants: [30],
    async plant() {
      await editIssue(world.forge, access, 2, { body: "see #1" }, world.actor);
      await world.write(remove(textReferencesKey(place(2))));
    },
  },
  {
    what: "a word that is posted and not there",
    invariants: [19],
    plant: () => world.write(put({ ...postingKey(place(1), "never"), _v: 1 })),
  },
  {
    what: "a word of a comment that is gone",
    invariants: [19],
    plant: () => world.write(put({ ...postingKey(place(1, 8_888), "gone"), _v: 1 })),
  },
  {
    what: "words that no longer wait",
    invariants: [19],
    plant: () => world.write(remove(waitingKey(place(2)))),
  },
  {
    what: "words that wait and are not there",
    invariants: [19],
    plant: () => world.set(waitingKey(place(2)), { added: "other", removed: "edited", v: 9, _v: 1 }),
  },
];

describe("checkRepository", () => {
  it.each(together(ofIssues))("finds and mends %s", async (_what, violation) => {
    if (violation.needsOwn ?? violation.isLeft) access = await world.makeRepository();
    await findAndMend(world.forge, id(), violation);
  });

  it("tells of labels of an issue that exclude each other, not of those that were edited since (B-08)", async () => {
    access = await world.makeRepository();
    const parent = { kind: "repository", id: id() } as const;
    const exclusive = (name: string) =>
      createLabel(world.forge, parent, { name, color: "#00aabb", isExclusive: true });
    const two = [await exclusive("kind/one"), await exclusive("kind/two")];
    const carrier = await issue(1);
    await world.set(carrier, { labelIds: two.map((label) => label.id) });
    const problems = async () =>
      (await checkRepository(world.forge, id())).filter(({ invariant }) => invariant === 16);
    expect(await problems()).toMatchObject([{ problem: expect.stringContaining("excludes the other") }]);
    await editLabel(world.forge, parent, two[0]?.id as number, { description: "late" });
    expect(await problems()).toEqual([]);
  });
});
