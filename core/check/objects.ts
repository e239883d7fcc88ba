import type { Forge } from "../forge.ts";
import { packGraceMs } from "../git/maintain/sweep-packs.ts";
import { removeRepositoryGit } from "../git/remove-repository.ts";
import { namedPacks } from "../git/shared-packs.ts";
import { avatarPrefix } from "../owner/avatar.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { TableFacts } from "./table-facts.ts";

/** Invariant 21: the picture of each owner and repository lies in the bucket. */
export async function checkPictures({ blobs }: Forge, { pictures }: TableFacts): Promise<Finding[]> {
  if (pictures.length === 0) return [];
  const found = new Set<string>();
  for await (const { key } of blobs.list(avatarPrefix)) found.add(key.slice(avatarPrefix.length));
  return pictures
    .filter(({ hash }) => !found.has(hash))
    .map(({ of, hash }) => ({
      invariant: 21,
      key: `${avatarPrefix}${hash}`,
      problem: `is missing; it is the picture of ${shownKey(of)}`,
      remedy: "set another picture, or none",
    }));
}

/** Invariant 21: of repositories that are not there, nothing but packs that forks still name lies in the bucket. */
export async function checkAbandoned(forge: Forge, facts: TableFacts): Promise<Finding[]> {
  const { repositoryIds, wikiIds, jobs } = facts;
  const emptied = new Set(jobs.map((job) => (job.arguments as { repositoryId?: number }).repositoryId));
  const abandoned = new Map<number, string[]>();
  const before = forge.clock.now() - packGraceMs;
  for await (const { key, modified } of forge.blobs.list("r/")) {
    const id = Number(key.split("/")[1]);
    if (repositoryIds.has(id) || wikiIds.has(id) || emptied.has(id)) continue;
    if (modified.getTime() > before) continue;
    abandoned.set(id, [...(abandoned.get(id) ?? []), key]);
  }
  const findings: Finding[] = [];
  for (const [id, keys] of abandoned) {
    const named = await namedPacks(forge.table, id);
    const [first, ...others] = keys.filter((key) => !named.has(/(\w+)\.\w+$/.exec(key)?.[1] ?? ""));
    if (first === undefined) continue;
    findings.push({
      invariant: 21,
      key: first,
      problem: `lies there with ${others.length} more, repository ${id} does not`,
      remedy: "removes what no fork names",
      repair: (on) => removeAbandoned(on, id),
    });
  }
  return findings;
}

/** Ids are never given twice, and whoever was to create the repository gave up long ago. */
async function removeAbandoned(forge: Forge, repositoryId: number): Promise<boolean> {
  const removeSome = () => removeRepositoryGit(forge, repositoryId, "objects");
  while ((await removeSome()).next !== undefined);
  return true;
}
