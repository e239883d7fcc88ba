import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
import * as attachments from "#core/attachment/attachment";
import { addressKey, attachmentFile } from "#core/attachment/attachment.table";
import { BlobMissing } from "#core/blobs";
import { checkRepository } from "#core/check/check";
import { collaboratorKey } from "#core/collaborator/collaborator.table";
import { entryRowKey } from "#core/comment/comment.table";
import * as statuses from "#core/commit-status/commit-status";
import { statusHeadKey } from "#core/commit-status/commit-status.table";
import * as dependencies from "#core/dependency/dependency";
import { blockingRow } from "#core/dependency/dependency.table";
import {
  entryKey,
  issueDirectoryPartition,
  pointerKey,
  segmentKey,
  segmentPrefixes,
} from "#core/directory/directory.table";
import { layerFileKey } from "#core/git/commit-graph/graph.table";
import { foldRefs } from "#core/git/refs/fold";
import { encodeManifest } from "#core/git/refs/pack-manifest";
import { gitPartition, logPrefix, segmentKey as refSegmentKey, rootKey } from "#core/git/refs/refs.table";
import { issueSequenceKey } from "#core/ids";
import * as issues from "#core/issue/issue";
import { assignedRow, createdRow, type Issue, issueKey, subscriptionKey } from "#core/issue/issue.table";
import * as issueAttachments from "#core/issue-attachment/issue-attachment";
import * as labels from "#core/label/label";
import * as milestones from "#core/milestone/milestone";
import { milestoneKey } from "#core/milestone/milestone.table";
import { reactionKey } from "#core/reaction/reaction.table";
import { mentionKey, textReferencesKey } from "#core/reference/reference.table";
import * as repositories from "#core/repository/repository";
import { cardKey, countsKey, repositoryNameKey } from "#core/repository/repository.table";
import * as stopwatches from "#core/stopwatch/stopwatch";
import { stopwatchKey } from "#core/stopwatch/stopwatch.table";
import { put, remove, type TableKey } from "#core/table";
import * as tagProtections from "#core/tag-protection/tag-protection";
import { tagPatternKey, tagProtectionKey } from "#core/tag-protection/tag-protection.table";
import * as times from "#core/tracked-time/tracked-time";
import { rowKeys } from "#core/tracked-time/tracked-time.table";
import { postingKey, waitingKey } from "#core/word-index/word-index.table";
import {
  type CheckedWorld,
  invariantsOf,
  makeCheckedWorld,
  mended,
  together,
  type Violation,
} from "./make.ts";

let world: CheckedWorld;
/** Whole again after what could be mended. */
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

/** A commit with a report of this check. */
async function report(context: string): Promise<string> {
  made += 1;
  const commitId = made.toString(16).padStart(40, "0");
  const given = { state: "success", context, targetUrl: "", description: "" } as const;
  await statuses.create(world.forge, id(), commitId, world.actor, given);
  return commitId;
}
let made = 0;
const protectTags = (namePattern: string) =>
  tagProtections.create(world.forge, id(), {
    namePattern,
    allowed: { userIds: [world.actor.user.id], teamIds: [] },
  });

const attach = async () => {
  async function* bytes() {
    yield Buffer.from("bytes");
  }
  const file = await attachments.receive(world.forge, id(), { name: "a.txt", bytes: bytes() });
  const target = { kind: "issue", number: 1, commentId: 0 } as const;
  return issueAttachments.create(world.forge, access, { number: 1 }, { file, target }, world.actor);
};

const damagedSegment = async () =>
  world.set(await world.first(issueDirectoryPartition(id()), segmentPrefixes[0]), {
    b: Buffer.from("damaged"),
  });
const ofRepository: Violation[] = [
  {
    what: "a name without its guard",
    invariants: [2],
    plant: () => world.write(remove(repositoryNameKey(world.actor.user.id, access.repository.name))),
  },
  {
    what: "a card that is missing",
    needsOwn: true,
    invariants: [2],
    plant: () => world.write(remove(cardKey(world.actor.user.id, id()))),
  },
  {
    what: "a card of another name",
    isAlone: true,
    invariants: [2],
    plant: () => world.set(cardKey(world.actor.user.id, id()), { name: "else" }),
  },
  {
    what: "a ROOT that is missing",
    invariants: [2],
    isLeft: true,
    plant: () => world.write(remove(rootKey(id()))),
  },
  {
    what: "a collaborator without mirror",
    invariants: [6],
    plant: () => world.write(put({ ...collaboratorKey(id(), 99), userId: 99, mode: "read", _v: 1 })),
  },
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
      const { id: milestone } = await milestones.create(world.forge, id(), { title: "v1" });
      await world.set(milestoneKey(id(), milestone), { openIssues: 1 });
    },
  },
  {
    what: "an entry that is not in the directory",
    invariants: [10],
    plant: () => world.write(remove(entryKey(issueDirectoryPartition(id()), 2))),
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
    invariants: [10, 11, 19],
    plant: () => world.write(remove(issueKey(id(), 2))),
  },
  {
    what: "a pointer that can't be read",
    needsOwn: true,
    invariants: [10, 12],
    plant: () => world.set(pointerKey(issueDirectoryPartition(id())), { s: Buffer.from("?") }),
  },
  {
    what: "a segment that is missing",
    needsOwn: true,
    invariants: [10, 12],
    plant: async () =>
      world.write(remove(await world.first(issueDirectoryPartition(id()), segmentPrefixes[0]))),
  },
  { what: "a segment that is damaged", needsOwn: true, invariants: [10, 12], plant: damagedSegment },
  {
    what: "a card that counts attachments wrong",
    invariants: [18],
    plant: async () => {
      await attach();
      await world.set(cardKey(world.actor.user.id, id()), { issueAttachments: 9, issueAttachmentBytes: 1 });
    },
  },
  {
    what: "an attachment that nothing names and nothing will sweep",
    invariants: [31],
    plant: async () => {
      await attach();
      await world.set(issueKey(id(), 1), { attachmentIds: [] });
    },
  },
  {
    what: "an attachment whose address leads nowhere",
    invariants: [31],
    plant: async () => world.write(remove(addressKey((await attach()).uuid))),
  },
  {
    what: "an attachment whose file is gone",
    needsOwn: true,
    isLeft: true,
    invariants: [21],
    plant: async () => world.forge.blobs.remove([attachmentFile(id(), (await attach()).uuid)]),
  },
  {
    what: "an issue that names an attachment which is gone",
    needsOwn: true,
    isLeft: true,
    invariants: [31],
    plant: () => world.set(issueKey(id(), 1), { attachmentIds: [999_999] }),
  },
  {
    what: "a tracked time that two lists lack",
    invariants: [26],
    plant: async () => {
      const { time } = await times.add(world.forge, access, 1, { seconds: 60 }, world.actor);
      for (const key of rowKeys(time)) await world.write(remove(key));
    },
  },
  {
    what: "a row of a tracked time that is not there",
    invariants: [26],
    plant: async () => {
      const { time } = await times.add(world.forge, access, 1, { seconds: 60 }, world.actor);
      await world.write(remove(time));
      await world.write(remove(rowKeys(time)[1] as TableKey));
    },
  },
  {
    what: "a stopwatch that does not run",
    invariants: [26],
    plant: async () => {
      await stopwatches.start(world.forge, access, 1, world.actor);
      await world.write(remove(stopwatchKey(world.actor.user.id)));
    },
  },
  {
    what: "an issue that waits for one that does not know of it",
    invariants: [27],
    plant: async () => {
      const other = await issues.create(world.forge, access, { title: "waits" }, world.actor);
      const waits = { access, number: other.number };
      await dependencies.create(world.forge, world.actor, waits, { access, number: 1 });
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
    what: "a commit that knows nothing of its reports",
    invariants: [28],
    plant: async () => world.write(remove(statusHeadKey(id(), await report("build")))),
  },
  {
    what: "a commit that names another report as the newest",
    invariants: [28],
    plant: async () => {
      const key = statusHeadKey(id(), await report("build"));
      await world.set(key, { last: 9, newest: [{ context: "build", index: 9, state: "error" }] });
    },
  },
  {
    what: "a commit that tells of reports that are not there",
    invariants: [28],
    plant: () => world.write(put({ ...statusHeadKey(id(), "ab".repeat(20)), last: 0, newest: [], _v: 2 })),
  },
  {
    what: "a rule over tags without its pattern",
    invariants: [29],
    plant: async () => {
      await protectTags("w*");
      await world.write(remove(tagPatternKey(id(), "w*")));
    },
  },
  {
    what: "a pattern that is kept for no rule",
    invariants: [29],
    plant: async () => {
      const rule = await protectTags("x*");
      await world.write(remove(tagProtectionKey(id(), rule.id)));
    },
  },
  {
    what: "counts that are wrong",
    invariants: [11],
    plant: () => world.set(countsKey(id(), 0), { openIssues: 7, issueComments: 0 }),
  },
  {
    what: "forks that are not there",
    invariants: [11],
    plant: () => world.set(countsKey(id(), 0), { forks: 3 }),
  },
  {
    what: "a segment of the directory that nothing names and nothing will sweep",
    invariants: [12],
    plant: () =>
      world.write(
        put({ ...segmentKey(issueDirectoryPartition(id()), 1, "ab".repeat(8)), b: Buffer.alloc(9), _v: 1 }),
      ),
  },
  {
    what: "a segment of refs that nothing names and nothing will sweep",
    invariants: [12],
    plant: () => world.write(put({ ...refSegmentKey(id(), "ab".repeat(8)), refs: Buffer.alloc(9), _v: 1 })),
  },
  { what: "counts that are missing", invariants: [11], plant: () => world.write(remove(countsKey(id(), 0))) },
  {
    what: "an issue that counts its comments wrong",
    invariants: [10, 11],
    plant: () => world.set(issueKey(id(), 1), { comments: 4 }),
  },
  {
    what: "a hole in the push log",
    invariants: [13],
    isLeft: true,
    plant: async () => world.write(remove(await world.first(gitPartition(id()), logPrefix))),
  },
  {
    what: "a HEAD that names nothing",
    invariants: [14],
    isLeft: true,
    plant: () => world.set(rootKey(id()), { head: Buffer.from("refs/heads/none"), branches: 2 }),
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
      const made = await issues.create(world.forge, access, assigned, world.actor);
      await world.write(remove(assignedRow(made, world.actor.user.id)));
    },
  },
  {
    what: "a pack that nothing names and nothing will sweep",
    invariants: [21],
    plant: () => world.forge.blobs.put(`r/${id()}/p/${"ab".repeat(8)}.pack`, Buffer.alloc(9)),
  },
  {
    what: "a layer of the commit graph that nothing names and nothing will sweep",
    invariants: [21],
    plant: () => world.forge.blobs.put(layerFileKey(id(), "ab".repeat(8)), Buffer.alloc(9)),
  },
  {
    what: "a card of another size",
    invariants: [18],
    plant: () => world.set(cardKey(world.actor.user.id, id()), { gitBytes: 1 }),
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
      await issues.edit(world.forge, access, 2, { body: "see #1" }, world.actor);
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
  it("finds nothing in what the verbs write", async () => {
    expect(await checkRepository(world.forge, id())).toEqual([]);
  });

  it.each(together(ofRepository))(
    "finds and mends %s",
    async (_what, { plant, invariants, isLeft = false, needsOwn = isLeft }) => {
      if (needsOwn) access = await world.makeRepository();
      await plant();
      const findings = await checkRepository(world.forge, id());
      expect(invariantsOf(findings)).toEqual(invariants);
      const left = isLeft ? findings.length : 0;
      const check = () => checkRepository(world.forge, id());
      expect(await mended(world.forge, findings, check)).toEqual({ left, found: left });
    },
  );

  it("tells of refs that name what no pack holds", async () => {
    access = await world.makeRepository();
    await world.set(rootKey(id()), { packs: encodeManifest([]) });
    await world.set(cardKey(world.actor.user.id, id()), { gitBytes: 0 });
    const findings = await checkRepository(world.forge, id());
    expect(invariantsOf(findings)).toEqual([14, 21]);
    expect(findings[0]?.problem).toMatch(/^refs\/heads\/main names [0-9a-f]{40}, which is in no pack$/);
    const check = () => checkRepository(world.forge, id());
    expect(await mended(world.forge, findings, check)).toEqual({ left: 1, found: 1 });
  });

  it("tells of labels of an issue that exclude each other, not of those that were edited since (B-08)", async () => {
    access = await world.makeRepository();
    const parent = { kind: "repository", id: id() } as const;
    const exclusive = (name: string) =>
      labels.create(world.forge, parent, { name, color: "#00aabb", isExclusive: true });
    const two = [await exclusive("kind/one"), await exclusive("kind/two")];
    const carrier = await issue(1);
    await world.set(carrier, { labelIds: two.map((label) => label.id) });
    const problems = async () =>
      (await checkRepository(world.forge, id())).filter(({ invariant }) => invariant === 16);
    expect(await problems()).toMatchObject([{ problem: expect.stringContaining("excludes the other") }]);
    await labels.edit(world.forge, parent, two[0]?.id as number, { description: "late" });
    expect(await problems()).toEqual([]);
  });

  it("finds the file of no attachment once no upload can be on its way, and has it removed", async () => {
    access = await world.makeRepository();
    const key = attachmentFile(id(), "00000000-0000-4000-8000-000000000000");
    await world.forge.blobs.put(key, Buffer.alloc(9));
    const check = () => checkRepository(world.forge, id());
    const isYoung = { ...world.forge, clock: { now: () => Date.now() } };
    expect(await checkRepository(isYoung, id())).toEqual([]);
    const findings = await check();
    expect(findings.map(({ invariant, key: found }) => [invariant, found])).toEqual([[21, key]]);
    expect(await mended(world.forge, findings, check)).toEqual({ left: 0, found: 0 });
    await attachments.sweepFiles(world.forge);
    await expect(world.forge.blobs.get(key)).rejects.toThrow(BlobMissing);
  });

  it("tells of packs that are missing, and of a guard and a card that a deletion left", async () => {
    access = await world.makeRepository();
    const card = await world.forge.table.get(cardKey(world.actor.user.id, id()));
    const objects: string[] = [];
    for await (const { key } of world.forge.blobs.list(`r/${id()}/`)) objects.push(key);
    await world.forge.blobs.remove(objects);
    expect(invariantsOf(await checkRepository(world.forge, id()))).toEqual([21]);
    await repositories.remove(world.forge, world.actor, access.repository);
    expect(await checkRepository(world.forge, id())).toEqual([]);
    await world.write(
      put({ ...repositoryNameKey(world.actor.user.id, access.repository.name), repositoryId: id(), _v: 1 }),
    );
    await world.write(put(card as NonNullable<typeof card>));
    const check = () => checkRepository(world.forge, id());
    const findings = await check();
    expect(invariantsOf(findings)).toEqual([3]);
    expect(await mended(world.forge, findings, check)).toEqual({ left: 0, found: 0 });
  });

  it("finds nothing in refs that were folded, and tells of counts and segments that are wrong", async () => {
    access = await world.makeRepository();
    expect(await foldRefs(world.forge, id(), { least: 1 })).toBe("folded");
    const fresh = () => checkRepository({ ...world.forge, table: { ...world.forge.table } }, id());
    expect(await fresh()).toEqual([]);
    await world.set(rootKey(id()), { branches: 2 });
    expect(invariantsOf(await fresh())).toEqual([14]);
    await world.set(rootKey(id()), { branches: 1 });
    const segment = await world.first(gitPartition(id()), "S#");
    for (const damage of [
      () => world.set(segment, { refs: Buffer.from("damaged") }),
      () => world.write(remove(segment)),
    ]) {
      await damage();
      const findings = await fresh();
      expect(findings).toMatchObject([{ invariant: 12, key: `R#${id()}#G / ${segment.sk}` }]);
      expect(findings[0]?.remedy).toContain("from the log");
      const again = { ...world.forge, table: { ...world.forge.table } };
      expect(await mended(again, findings, fresh)).toEqual({ left: 0, found: 0 });
      await world.write(put(segment));
      await world.set(rootKey(id()), { segments: [segment.sk.slice(2)] });
    }
    await world.write(remove(await world.first(gitPartition(id()), logPrefix)));
    await world.write(remove(segment));
    const findings = await fresh();
    expect(findings).toMatchObject([{ invariant: 12, key: `R#${id()}#G / ${segment.sk}` }]);
    expect(findings[0]?.remedy).toContain("from any backup that has it");
    expect(findings[0]?.repair).toBeUndefined();
  });

  it("does not take for damage what happens between its requests", async () => {
    access = await world.makeRepository();
    const { table } = world.forge;
    let isFirst = true;
    const busy = {
      ...table,
      queryAll: async (asked: Parameters<typeof table.queryAll>[0]) => {
        const items = await table.queryAll(asked);
        if (isFirst && asked.pk === `R#${id()}`) {
          isFirst = false;
          await issues.create(world.forge, access, { title: "meanwhile" }, world.actor);
        }
        return items;
      },
    };
    expect(await checkRepository({ ...world.forge, table: busy as never }, id())).toEqual([]);
  });
});
