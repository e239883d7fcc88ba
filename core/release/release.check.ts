import { type Attachment, attachmentsPartition } from "../attachment/attachment.table.ts";
import type { Forge } from "../forge.ts";
import { tagPrefix } from "../git/refs/ref-name.ts";
import { readSnapshot } from "../git/store/refs/snapshot.ts";
import { lastNumber, releaseSequenceKey } from "../ids.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { checkCounter } from "../lifecycle/check/counters.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, put, remove, update } from "../table/write.ts";
import { type Release, type ReleaseTag, releaseKey, releaseTagKey } from "./release.table.ts";

/** Invariant 36: each release has the guard of its tag, and each guard leads to a release of that tag. */
function checkTags(facts: RepositoryFacts): Finding[] {
  const { releases, tags } = facts.released;
  const guards = new Map(tags.map((tag) => [keyText(tag), tag]));
  const byNumber = new Map(releases.map((release) => [release.number, release]));
  const unguarded = releases.flatMap((release): Finding[] => {
    const { repositoryId, number, tagName, v } = release;
    const key = releaseTagKey(repositoryId, tagName);
    const guard = guards.get(keyText(key));
    if (guard?.number === number && guard.tagName === tagName) return [];
    const isOthers = guard !== undefined && byNumber.get(guard.number)?.tagName === guard.tagName;
    const restored: ReleaseTag = { ...guard, ...key, number, tagName, _v: 1 };
    return [
      {
        invariant: 36,
        key: shownKey(release),
        problem: "its tag has no guard that leads to it",
        remedy: isOthers ? "another release has the tag: delete one of them" : "writes the guard",
        ...(isOthers
          ? {}
          : {
              repair: mending(
                [check(releaseKey(repositoryId, number), equals({ v }))],
                put(restored, asRead(guard)),
              ),
            }),
      },
    ];
  });
  return [...unguarded, ...strayGuards(facts, byNumber)];
}

function strayGuards(
  { repository: { id }, released }: RepositoryFacts,
  byNumber: ReadonlyMap<number, Release>,
): Finding[] {
  return released.tags
    .filter((tag) => !byNumber.has(tag.number))
    .map((tag) => ({
      invariant: 36,
      key: shownKey(tag),
      problem: `leads to release ${tag.number}, which is not there`,
      remedy: "removes the guard",
      repair: mending([check(releaseKey(id, tag.number), absent)], remove(tag, asRead(tag))),
    }));
}

/** Invariant 36: the tag of a release that is no draft is in git. A push that deletes it makes the release a draft. */
async function checkGitTags({ table }: Forge, { repository, released }: RepositoryFacts): Promise<Finding[]> {
  const published = released.releases.filter(({ isDraft }) => !isDraft);
  const snapshot = published.length === 0 ? undefined : await readSnapshot(table, repository.id);
  if (snapshot === undefined) return [];
  return published
    .filter(({ tagName }) => snapshot.refs.find(tagPrefix + tagName) === undefined)
    .map((release) => ({
      invariant: 36,
      key: shownKey(release),
      problem: `is published, and there is no tag ${release.tagName}`,
      remedy: "makes it a draft, as the push did that deleted the tag",
      async repair(forge: Forge) {
        const { followTags } = await import("./follow-tags.ts"); // few checks find anything
        await followTags(forge, repository.id, [{ name: tagPrefix + release.tagName }]);
        return true;
      },
    }));
}

/** Invariant 11: a release counts its assets and their bytes. */
async function checkAssets({ table }: Forge, { repository, released }: RepositoryFacts): Promise<Finding[]> {
  if (!released.releases.some(({ assets, attachmentIds }) => assets > 0 || attachmentIds !== undefined))
    return [];
  const attachments = await table.queryAll<Attachment>({ pk: attachmentsPartition(repository.id) });
  const sizes = new Map(attachments.map(({ id, sizeBytes }) => [id, sizeBytes]));
  return released.releases.flatMap((release): Finding[] => {
    const { repositoryId, number, assets, assetBytes, assetChanges } = release;
    const ids = [...(release.attachmentIds ?? [])];
    const counted = {
      assets: ids.length,
      assetBytes: ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0),
    };
    if (counted.assets === assets && counted.assetBytes === assetBytes) return [];
    const key = releaseKey(repositoryId, number);
    return [
      {
        invariant: 11,
        key: shownKey(release),
        problem: `counts ${assets} assets of ${assetBytes} bytes, it has ${counted.assets} of ${counted.assetBytes}`,
        remedy: "counts anew",
        repair: mending(
          [],
          update(key, { set: counted, add: { assetChanges: 1 } }, equals({ assetChanges })),
        ),
      },
    ];
  });
}

/** Invariant 9: the counter has passed every number that was given. */
async function checkNumbers({ table }: Forge, { repository, released }: RepositoryFacts): Promise<Finding[]> {
  const key = releaseSequenceKey(repository.id);
  const greatest = Math.max(0, ...released.releases.map(({ number }) => number));
  const last = greatest === 0 ? 0 : await lastNumber(table, key);
  return checkCounter({ key, last, greatest, thing: "release" });
}

export const releaseChecks: Checks = {
  live: [(_, facts) => checkTags(facts), checkGitTags, checkAssets, checkNumbers],
};
