import { describe, expect, it } from "vitest";
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
import { checkedPlace, findAndMend, together, type Violation } from "./make.ts";

const checked = checkedPlace();
const { id } = checked;
const place = (number: number, commentId = 0) => ({ repositoryId: id(), number, commentId });
const issue = async (number: number) =>
  (await checked.world.forge.table.get<Issue>(issueKey(id(), number))) as Issue;

const damagedSegment = async () =>
  checked.world.set(await checked.world.first(issueIndexPartition(id()), segmentPrefixes[0]), {
    b: Buffer.from("damaged"),
  });
const ofIssues: Violation[] = [
  {
    what: "a counter that was set back",
    isAlone: true,
    invariants: [9],
    plant: () => checked.world.set(issueSequenceKey(id()), { n: 1 }),
  },
  {
    what: "a milestone that counts an issue it has not",
    invariants: [11],
    plant: async () => {
      const { id: milestone } = await createMilestone(checked.world.forge, id(), { title: "v1" });
      await checked.world.set(milestoneKey(id(), milestone), { openIssues: 1 });
    },
  },
  {
    what: "an entry that is not in the list index",
    invariants: [10],
    plant: () => checked.world.write(remove(entryKey(issueIndexPartition(id()), 2))),
  },
  {
    what: "an entry that is not what the issue says",
    isAlone: true,
    invariants: [10],
    plant: () => checked.world.set(issueKey(id(), 1), { isLocked: true }),
  },
  {
    what: "an issue that is gone from under its entry",
    needsOwn: true,
    invariants: [10, 11, 19, 27], // its text was edited
    plant: () => checked.world.write(remove(issueKey(id(), 2))),
  },
  {
    what: "a manifest that can't be read",
    needsOwn: true,
    invariants: [10, 12],
    plant: () => checked.world.set(manifestKey(issueIndexPartition(id())), { s: Buffer.from("?") }),
  },
  {
    what: "a segment that is missing",
    needsOwn: true,
    invariants: [10, 12],
    plant: async () =>
      checked.world.write(remove(await checked.world.first(issueIndexPartition(id()), segmentPrefixes[0]))),
  },
  { what: "a segment that is damaged", needsOwn: true, invariants: [10, 12], plant: damagedSegment },
  {
    what: "a tracked time that two lists lack",
    invariants: [26],
    plant: async () => {
      const { time } = await addTime(
        checked.world.forge,
        checked.access,
        1,
        { seconds: 60 },
        checked.world.actor,
      );
      for (const key of rowKeys(time)) await checked.world.write(remove(key));
    },
  },
  {
    what: "a row of a tracked time that is not there",
    invariants: [26],
    plant: async () => {
      const { time } = await addTime(
        checked.world.forge,
        checked.access,
        1,
        { seconds: 60 },
        checked.world.actor,
      );
      await checked.world.write(remove(time));
      await checked.world.write(remove(rowKeys(time)[1] as TableKey));
    },
  },
  {
    what: "a stopwatch that does not run",
    invariants: [26],
    plant: async () => {
      await startStopwatch(checked.world.forge, checked.access, 1, checked.world.actor);
      await checked.world.write(remove(stopwatchKey(checked.world.actor.user.id)));
    },
  },
  {
    what: "an issue that waits for one that does not know of it",
    invariants: [27],
    plant: async () => {
      const other = await createIssue(
        checked.world.forge,
        checked.access,
        { title: "waits" },
        checked.world.actor,
      );
      const waits = { access: checked.access, number: other.number };
      await createDependency(checked.world.forge, checked.world.actor, waits, {
        access: checked.access,
        number: 1,
      });
      await checked.world.write(remove(blockingRow(await issue(1), other)));
    },
  },
  {
    what: "reactions on a comment and a subscription to an issue that are not there",
    invariants: [27],
    plant: async () => {
      const reaction = { userId: 1, content: "heart", createdAt: 1, _v: 1 };
      await checked.world.write(put({ ...reactionKey(place(1, 999), 1, "heart"), ...reaction }));
      await checked.world.write(
        put({ ...subscriptionKey(id(), 3, 1), userId: 1, isSubscribed: true, _v: 1 }),
      );
    },
  },
  {
    what: "edits of a comment and of an issue that are not there",
    invariants: [27],
    plant: async () => {
      const edit = { number: 1, userId: 1, at: 1, former: "was", _v: 1 };
      for (const lost of [place(1, 999), place(3)])
        await checked.world.write(put({ ...editKey(lost, 1), ...edit }));
    },
  },
  {
    what: "a text that has lost one of its edits",
    invariants: [35],
    isLeft: true,
    plant: () => checked.world.write(remove(editKey(place(2), 1))),
  },
  {
    what: "a segment of the list index that nothing names and nothing will sweep",
    invariants: [12],
    plant: () =>
      checked.world.write(
        put({ ...segmentKey(issueIndexPartition(id()), 1, "ab".repeat(8)), b: Buffer.alloc(9), _v: 1 }),
      ),
  },
  {
    what: "an issue that counts its comments wrong",
    isAlone: true,
    invariants: [10, 11],
    plant: () => checked.world.set(issueKey(id(), 1), { comments: 4 }),
  },
  {
    what: "an issue that is closed without a time",
    invariants: [16],
    isLeft: true,
    plant: () => checked.world.set(issueKey(id(), 2), { closedAt: 0 }),
  },
  {
    what: "a row without its comment",
    invariants: [17],
    plant: () =>
      checked.world.write(
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
    plant: async () => checked.world.write(remove(await checked.world.first(`R#${id()}#C`, ""))),
  },
  {
    what: "an issue without its author's row",
    invariants: [17],
    plant: async () => checked.world.write(remove(createdRow(await issue(1)))),
  },
  {
    what: "an issue without its assignee's row",
    invariants: [17],
    plant: async () => {
      const assigned = { title: "yours", assignees: [checked.world.actor.user.name] };
      const made = await createIssue(checked.world.forge, checked.access, assigned, checked.world.actor);
      await checked.world.write(remove(assignedRow(made, checked.world.actor.user.id)));
    },
  },
  {
    what: "a word that is not posted",
    invariants: [19],
    plant: () => checked.world.write(remove(postingKey(place(1), "first"))),
  },
  {
    what: "a mention that its user lacks",
    invariants: [30],
    plant: () => checked.world.write(put({ ...mentionKey(id(), 1, 77), userId: 77, _v: 1 })),
  },
  {
    what: "a reference that nothing tells",
    invariants: [30],
    plant: () => {
      const references = [{ repositoryId: id(), number: 1, action: "none", entryId: 9 }];
      return checked.world.write(put({ ...textReferencesKey(place(2)), references, v: 1, _v: 1 }));
    },
  },
  {
    what: "an entry of a text that refers to nothing",
    invariants: [30],
    async plant() {
      await editIssue(checked.world.forge, checked.access, 2, { body: "see #1" }, checked.world.actor);
      await checked.world.write(remove(textReferencesKey(place(2))));
    },
  },
  {
    what: "a word that is posted and not there",
    invariants: [19],
    plant: () => checked.world.write(put({ ...postingKey(place(1), "never"), _v: 1 })),
  },
  {
    what: "a word of a comment that is gone",
    invariants: [19],
    plant: () => checked.world.write(put({ ...postingKey(place(1, 8_888), "gone"), _v: 1 })),
  },
  {
    what: "words that no longer wait",
    invariants: [19],
    plant: () => checked.world.write(remove(waitingKey(place(2)))),
  },
  {
    what: "words that wait and are not there",
    invariants: [19],
    plant: () => checked.world.set(waitingKey(place(2)), { added: "other", removed: "edited", v: 9, _v: 1 }),
  },
];

describe("checkRepository", () => {
  it.each(together(ofIssues))("finds and mends %s", async (_what, violation) => {
    if (violation.needsOwn ?? violation.isLeft) await checked.renew();
    await findAndMend(checked.world.forge, id(), violation);
  });

  it("tells of labels of an issue that exclude each other, not of those that were edited since (B-08)", async () => {
    await checked.renew();
    const parent = { kind: "repository", id: id() } as const;
    const exclusive = (name: string) =>
      createLabel(checked.world.forge, parent, { name, color: "#00aabb", isExclusive: true });
    const two = [await exclusive("kind/one"), await exclusive("kind/two")];
    const carrier = await issue(1);
    await checked.world.set(carrier, { labelIds: two.map((label) => label.id) });
    const problems = async () =>
      (await checkRepository(checked.world.forge, id())).filter(({ invariant }) => invariant === 16);
    expect(await problems()).toMatchObject([{ problem: expect.stringContaining("excludes the other") }]);
    await editLabel(checked.world.forge, parent, two[0]?.id as number, { description: "late" });
    expect(await problems()).toEqual([]);
  });
});
