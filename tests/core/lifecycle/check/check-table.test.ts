import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressKey } from "#core/attachment/attachment.table";
import { collaboratorMirrorKey } from "#core/collaborator/collaborator.table";
import { outbox, resendOverdue } from "#core/events/outbox";
import { rootKey } from "#core/git/store/refs/refs.table";
import { sequenceKey } from "#core/ids";
import { startJob } from "#core/jobs/job";
import { compact } from "#core/list-index/internal/compaction";
import { entryKey, segmentKey } from "#core/list-index/list-index.table";
import { repositoryDelta } from "#core/repository/listing/index-writes";
import { repositoryIndex } from "#core/repository/repository.index";
import {
  cardKey,
  type Repository,
  repositoryKey,
  repositoryNameKey,
} from "#core/repository/repository.table";
import { stopwatchKey } from "#core/stopwatch/stopwatch.table";
import { put, remove } from "#core/table/write";
import { teamKey, teamRepositoryKey } from "#core/team/team.table";
import { tokenNameKey } from "#core/token/token.table";
import { findingsAcross, findingsOf } from "#tests/support/findings";
import { invariantsOf, mended, together, type Violation } from "./make.ts";
import { makeTableWorld, type TableWorld } from "./table-world.ts";

let on: TableWorld;
beforeAll(async () => {
  on = await makeTableWorld();
});
afterAll(() => on.world.test.stop());

const whole = () => findingsOf(on.world);
/** Finds what is wrong with things that no repository knows of. */
const across = () => findingsAcross(on.world);

const ofThings: Violation[] = [
  {
    what: "a team that does not list a repository",
    invariants: [5],
    plant: async () => {
      const owned = await on.world.forge.table.get<Repository>(repositoryKey(on.ownedId));
      await on.world.write(remove(teamRepositoryKey(on.teamId, on.ownedId)));
      expect(owned?.teamIds).toEqual([on.teamId]);
    },
  },
  {
    what: "a team that lists a repository that was not given to it",
    invariants: [5],
    plant: () => on.world.write(put({ ...teamRepositoryKey(on.teamId, on.id), repositoryId: on.id, _v: 1 })),
  },
  {
    what: "a team that counts its repositories wrong",
    invariants: [5],
    plant: () => on.world.set(teamKey(on.organizationId, on.teamId), { repositories: 7 }),
  },
  {
    what: "a repository that names a team of another organization",
    invariants: [2, 5],
    plant: () => on.world.set(repositoryKey(on.id), { teamIds: [on.teamId] }),
  },
  {
    what: "a counter of ids that was set back",
    invariants: [9],
    plant: () => on.world.set(sequenceKey("issue"), { n: 1 }),
  },
  {
    what: "a picture that is not there",
    invariants: [21],
    isLeft: true,
    plant: () => on.world.set(repositoryKey(on.id), { avatar: "ab".repeat(32) }),
  },
  {
    what: "objects of a repository that is not there",
    invariants: [21],
    plant: () => on.world.forge.blobs.put("r/70002/p/ab.pack", Buffer.alloc(9)),
  },
  {
    what: "a segment of the list index of repositories that nothing names",
    invariants: [12],
    plant: () =>
      on.world.write(put({ ...segmentKey("DIR#repo", 1, "ab".repeat(8)), b: Buffer.alloc(9), _v: 1 })),
  },
  {
    what: "a collaboration that the repository does not know",
    invariants: [6],
    plant: () =>
      on.world.write(put({ ...collaboratorMirrorKey(500, on.id), repositoryId: on.id, mode: "read", _v: 1 })),
  },
  {
    what: "an address that leads to no attachment",
    invariants: [31],
    plant: () => on.world.write(put({ ...addressKey("a-uuid"), repositoryId: on.id, id: 7, _v: 1 })),
  },
  {
    what: "a stopwatch that its issue does not know of",
    invariants: [26],
    plant: () => {
      const userId = on.world.actor.user.id;
      const running = { userId, repositoryId: on.id, issueNumber: 1, startedAt: 1 };
      return on.world.write(put({ ...stopwatchKey(userId), ...running, _v: 1 }));
    },
  },
  {
    what: "a repository that is not in the list index",
    invariants: [2],
    plant: () => on.world.write(remove(entryKey("DIR#repo", on.id))),
  },
  {
    what: "a repository whose entry is another",
    invariants: [2],
    plant: () => on.world.set(repositoryKey(on.id), { isTemplate: true }),
  },
  {
    what: "a repository whose entry has other units",
    invariants: [2],
    plant: () => on.world.set(repositoryKey(on.id), { units: ["code"] }),
  },
  {
    what: "items of a repository that is not there",
    invariants: [3],
    isLeft: true,
    isOfNoRepository: true,
    plant: () => on.world.write(put({ ...rootKey(70_000), v: 0, _v: 1 })),
  },
  {
    what: "a name of a repository that is not there",
    invariants: [3],
    plant: () =>
      on.world.write(
        put({ ...repositoryNameKey(on.world.actor.user.id, "gone"), repositoryId: 70_001, _v: 1 }),
      ),
  },
  {
    what: "a name that a repository does not have",
    invariants: [2],
    plant: () =>
      on.world.write(
        put({ ...repositoryNameKey(on.world.actor.user.id, "alias"), repositoryId: on.id, _v: 1 }),
      ),
  },
  {
    what: "a card at another owner",
    invariants: [2],
    plant: () => on.world.write(put({ ...cardKey(999, on.id), repositoryId: on.id, v: 1, _v: 1 })),
  },
  {
    what: "an entry of the list index that is wrong and as new as the repository",
    invariants: [2],
    plant: async () => {
      const entry = await on.world.forge.table.get(entryKey("DIR#repo", on.id));
      const e = Buffer.from(entry?.e as Uint8Array);
      e[1] = (e[1] ?? 0) ^ 2;
      await on.world.set(entryKey("DIR#repo", on.id), { e });
    },
  },
  {
    what: "an entry of the list index that is newer than the repository",
    invariants: [2],
    plant: async () => {
      await on.world.set(repositoryKey(on.id), { v: 900 });
      const repository = await on.world.forge.table.get<Repository>(repositoryKey(on.id));
      if (repository === undefined) throw new Error("the repository is gone");
      await on.world.write(repositoryDelta(repository));
      await compact(on.world.forge, repositoryIndex);
      await on.world.set(repositoryKey(on.id), { v: 901 - 500 });
    },
  },
  {
    what: "an item without a version",
    invariants: [22],
    isLeft: true,
    isOfNoRepository: true,
    plant: () => on.world.write(put({ ...tokenNameKey(on.world.actor.user.id, "odd"), tokenId: 500 })),
  },
  {
    what: "an object of no kind that a noun declares",
    invariants: [21],
    isLeft: true,
    isOfNoRepository: true,
    isAlone: true,
    plant: () => on.world.forge.blobs.put("odd/object", Buffer.alloc(9)),
  },
  {
    what: "an item of no kind that a noun declares",
    invariants: [22],
    isLeft: true,
    isOfNoRepository: true,
    plant: () => on.world.write(put({ pk: "O#1", sk: "ODD", _v: 1 })),
  },
];
describe("checkTable", () => {
  it("finds nothing in what the verbs write", async () => {
    expect(await whole()).toEqual([]);
  });

  it.each(together(ofThings))(
    "finds and mends %s",
    async (_what, { plant, invariants, isLeft = false, isOfNoRepository = false }) => {
      const look = isOfNoRepository ? across : whole;
      await plant();
      const findings = await look();
      expect(invariantsOf(findings)).toEqual(invariants);
      const left = isLeft ? findings.length : 0;
      expect(await mended(on.world.forge, findings, look)).toEqual({ left, found: left });
      const odd = [{ pk: "O#1", sk: "ODD" }, tokenNameKey(on.world.actor.user.id, "odd")];
      for (const key of [rootKey(70_000), ...odd]) await on.world.write(remove(key));
      await on.world.forge.blobs.remove(["odd/object"]);
      await on.world.set(repositoryKey(on.id), { avatar: "" });
    },
  );

  it("tells of events that nobody sent and jobs that nobody works on", async () => {
    const { forge } = on.world;
    on.world.test.clock.advance(60_000);
    await resendOverdue(forge); // events of the world's own changes
    const entry = outbox(forge, "webhooks", { kind: "delivery" });
    const job = startJob(forge, "count", {});
    await forge.table.transact([entry.write, job.write]);
    expect(invariantsOf(await across())).toEqual([]);
    on.world.test.clock.advance(16 * 60_000);
    const findings = await across();
    expect(findings.map(({ invariant, problem }) => [invariant, problem.slice(0, 12)])).toEqual([
      [20, "an event was"],
      [20, "the job coun"],
    ]);
  });
});
