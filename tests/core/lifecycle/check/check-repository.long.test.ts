import { describe, expect, it } from "vitest";
import { collaboratorKey } from "#core/collaborator/collaborator.table";
import { createCommitStatus } from "#core/commit-status/commit-status";
import { statusHeadKey } from "#core/commit-status/commit-status.table";
import { layerFileKey } from "#core/git/store/commit-graph/graph.table";
import { encodeManifest } from "#core/git/store/pack-manifest";
import { compactRefs } from "#core/git/store/refs/compaction";
import {
  gitPartition,
  logPrefix,
  segmentKey as refSegmentKey,
  rootKey,
} from "#core/git/store/refs/refs.table";
import { createIssue } from "#core/issue/issue";
import { checkRepository } from "#core/lifecycle/check/check";
import { removeRepository } from "#core/repository/removal/remove";
import { cardKey, countsKey, repositoryNameKey } from "#core/repository/repository.table";
import { put, remove } from "#core/table/write";
import { createTagProtection } from "#core/tag-protection/tag-protection";
import { tagPatternKey, tagProtectionKey } from "#core/tag-protection/tag-protection.table";
import { checkedPlace, findAndMend, invariantsOf, mended, together, type Violation } from "./make.ts";

const place = checkedPlace();
const { id } = place;
/** A commit with a report of this check. */
async function report(context: string): Promise<string> {
  made += 1;
  const commitId = made.toString(16).padStart(40, "0");
  const given = { state: "success", context, targetUrl: "", description: "" } as const;
  await createCommitStatus(place.world.forge, id(), commitId, place.world.actor, given);
  return commitId;
}
let made = 0;
const protectTags = (namePattern: string) =>
  createTagProtection(place.world.forge, id(), {
    namePattern,
    allowed: { userIds: [place.world.actor.user.id], teamIds: [] },
  });

const ofRepository: Violation[] = [
  {
    what: "a name without its guard",
    invariants: [2],
    plant: () =>
      place.world.write(remove(repositoryNameKey(place.world.actor.user.id, place.access.repository.name))),
  },
  {
    what: "a card that is missing",
    needsOwn: true,
    invariants: [2],
    plant: () => place.world.write(remove(cardKey(place.world.actor.user.id, id()))),
  },
  {
    what: "a card of another name",
    isAlone: true,
    invariants: [2],
    plant: () => place.world.set(cardKey(place.world.actor.user.id, id()), { name: "else" }),
  },
  {
    what: "a ROOT that is missing",
    invariants: [2],
    isLeft: true,
    plant: () => place.world.write(remove(rootKey(id()))),
  },
  {
    what: "a collaborator without mirror",
    invariants: [6],
    plant: () => place.world.write(put({ ...collaboratorKey(id(), 99), userId: 99, mode: "read", _v: 1 })),
  },
  {
    what: "a commit that knows nothing of its reports",
    invariants: [28],
    plant: async () => place.world.write(remove(statusHeadKey(id(), await report("build")))),
  },
  {
    what: "a commit that names another report as the newest",
    invariants: [28],
    plant: async () => {
      const key = statusHeadKey(id(), await report("build"));
      await place.world.set(key, { last: 9, newest: [{ context: "build", index: 9, state: "error" }] });
    },
  },
  {
    what: "a commit that tells of reports that are not there",
    invariants: [28],
    plant: () =>
      place.world.write(put({ ...statusHeadKey(id(), "ab".repeat(20)), last: 0, newest: [], _v: 2 })),
  },
  {
    what: "a rule over tags without its pattern",
    invariants: [29],
    plant: async () => {
      await protectTags("w*");
      await place.world.write(remove(tagPatternKey(id(), "w*")));
    },
  },
  {
    what: "a pattern that is kept for no rule",
    invariants: [29],
    plant: async () => {
      const rule = await protectTags("x*");
      await place.world.write(remove(tagProtectionKey(id(), rule.id)));
    },
  },
  {
    what: "counts that are wrong",
    invariants: [11],
    plant: () => place.world.set(countsKey(id(), 0), { openIssues: 7, issueComments: 0 }),
  },
  {
    what: "forks that are not there",
    invariants: [11],
    plant: () => place.world.set(countsKey(id(), 0), { forks: 3 }),
  },
  {
    what: "a segment of refs that nothing names and nothing will sweep",
    invariants: [12],
    plant: () =>
      place.world.write(put({ ...refSegmentKey(id(), "ab".repeat(8)), refs: Buffer.alloc(9), _v: 1 })),
  },
  {
    what: "counts that are missing",
    invariants: [11],
    plant: () => place.world.write(remove(countsKey(id(), 0))),
  },
  {
    what: "a hole in the push log",
    invariants: [13],
    isLeft: true,
    plant: async () => place.world.write(remove(await place.world.first(gitPartition(id()), logPrefix))),
  },
  {
    what: "a HEAD that names nothing",
    invariants: [14],
    isLeft: true,
    plant: () => place.world.set(rootKey(id()), { head: Buffer.from("refs/heads/none"), branches: 2 }),
  },
  {
    what: "a pack that nothing names and nothing will sweep",
    invariants: [21],
    plant: () => place.world.forge.blobs.put(`r/${id()}/p/${"ab".repeat(8)}.pack`, Buffer.alloc(9)),
  },
  {
    what: "a layer of the commit graph that nothing names and nothing will sweep",
    invariants: [21],
    plant: () => place.world.forge.blobs.put(layerFileKey(id(), "ab".repeat(8)), Buffer.alloc(9)),
  },
  {
    what: "a card of another size",
    invariants: [18],
    plant: () => place.world.set(cardKey(place.world.actor.user.id, id()), { gitBytes: 1 }),
  },
];

describe("checkRepository", () => {
  it("finds nothing in what the verbs write", async () => {
    expect(await checkRepository(place.world.forge, id())).toEqual([]);
  });

  it.each(together(ofRepository))("finds and mends %s", async (_what, violation) => {
    if (violation.needsOwn ?? violation.isLeft) await place.renew();
    await findAndMend(place.world.forge, id(), violation);
  });

  it("tells of refs that name what no pack holds", async () => {
    await place.renew();
    await place.world.set(rootKey(id()), { packs: encodeManifest([]) });
    await place.world.set(cardKey(place.world.actor.user.id, id()), { gitBytes: 0 });
    const findings = await checkRepository(place.world.forge, id());
    expect(invariantsOf(findings)).toEqual([14, 21]);
    expect(findings[0]?.problem).toMatch(/^refs\/heads\/main names [0-9a-f]{40}, which is in no pack$/);
    const check = () => checkRepository(place.world.forge, id());
    expect(await mended(place.world.forge, findings, check)).toEqual({ left: 1, found: 1 });
  });

  it("tells of packs that are missing, and of a guard and a card that a deletion left", async () => {
    await place.renew();
    const card = await place.world.forge.table.get(cardKey(place.world.actor.user.id, id()));
    const objects: string[] = [];
    for await (const { key } of place.world.forge.blobs.list(`r/${id()}/`)) objects.push(key);
    await place.world.forge.blobs.remove(objects);
    expect(invariantsOf(await checkRepository(place.world.forge, id()))).toEqual([21]);
    await removeRepository(place.world.forge, place.world.actor, place.access.repository);
    expect(await checkRepository(place.world.forge, id())).toEqual([]);
    await place.world.write(
      put({
        ...repositoryNameKey(place.world.actor.user.id, place.access.repository.name),
        repositoryId: id(),
        _v: 1,
      }),
    );
    await place.world.write(put(card as NonNullable<typeof card>));
    const check = () => checkRepository(place.world.forge, id());
    const findings = await check();
    expect(invariantsOf(findings)).toEqual([3]);
    expect(await mended(place.world.forge, findings, check)).toEqual({ left: 0, found: 0 });
  });

  it("finds nothing in refs that were compacted, and tells of counts and segments that are wrong", async () => {
    await place.renew();
    expect(await compactRefs(place.world.forge, id(), { least: 1 })).toBe("compacted");
    const fresh = () =>
      checkRepository({ ...place.world.forge, table: { ...place.world.forge.table } }, id());
    expect(await fresh()).toEqual([]);
    await place.world.set(rootKey(id()), { branches: 2 });
    expect(invariantsOf(await fresh())).toEqual([14]);
    await place.world.set(rootKey(id()), { branches: 1 });
    const segment = await place.world.first(gitPartition(id()), "S#");
    for (const damage of [
      () => place.world.set(segment, { refs: Buffer.from("damaged") }),
      () => place.world.write(remove(segment)),
    ]) {
      await damage();
      const findings = await fresh();
      expect(findings).toMatchObject([{ invariant: 12, key: `R#${id()}#G / ${segment.sk}` }]);
      expect(findings[0]?.remedy).toContain("from the log");
      const again = { ...place.world.forge, table: { ...place.world.forge.table } };
      expect(await mended(again, findings, fresh)).toEqual({ left: 0, found: 0 });
      await place.world.write(put(segment));
      await place.world.set(rootKey(id()), { segments: [segment.sk.slice(2)] });
    }
    await place.world.write(remove(await place.world.first(gitPartition(id()), logPrefix)));
    await place.world.write(remove(segment));
    const findings = await fresh();
    expect(findings).toMatchObject([{ invariant: 12, key: `R#${id()}#G / ${segment.sk}` }]);
    expect(findings[0]?.remedy).toContain("from any backup that has it");
    expect(findings[0]?.repair).toBeUndefined();
  });

  it("does not take for damage what happens between its requests", async () => {
    await place.renew();
    const { table } = place.world.forge;
    let isFirst = true;
    const busy = {
      ...table,
      queryAll: async (asked: Parameters<typeof table.queryAll>[0]) => {
        const items = await table.queryAll(asked);
        if (isFirst && asked.pk === `R#${id()}`) {
          isFirst = false;
          await createIssue(place.world.forge, place.access, { title: "meanwhile" }, place.world.actor);
        }
        return items;
      },
    };
    expect(await checkRepository({ ...place.world.forge, table: busy as never }, id())).toEqual([]);
  });
});
