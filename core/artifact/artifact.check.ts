import type { Forge } from "../forge.ts";
import { artifactSequenceKey, lastNumber } from "../ids.ts";
import { listDue } from "../jobs/due.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { checkCounter } from "../lifecycle/check/counters.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { withTotals } from "../quota/recount.ts";
import { sizedThingFindings } from "../quota/sized-things.check.ts";
import { cardKey, type RepositoryCard } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { check, type Item, keyText, put, remove, update } from "../table/write.ts";
import {
  type Artifact,
  type ArtifactName,
  artifactKey,
  artifactNameKey,
  artifactNamePrefix,
  artifactObjects,
  artifactPrefix,
  artifactsPartition,
  objectsOfUpload,
} from "./artifact.table.ts";
import { type ArtifactSweep, artifactSweepKind, lookAtUpload, uploadGraceMs } from "./write.ts";

const unchanged = ({ repositoryId, number, v }: Artifact) =>
  check(artifactKey(repositoryId, number), equals({ v }));

/** Invariant 41: an artifact has its name in its run, and a name leads to an artifact that has it. */
function checkNames(artifacts: readonly Artifact[], names: readonly ArtifactName[]): Finding[] {
  const byKey = new Map(names.map((name) => [keyText(name), name]));
  const nameless = artifacts.filter(
    (artifact) => byKey.get(keyText(artifactNameKey(artifact)))?.number !== artifact.number,
  );
  const wanted = new Map(artifacts.map((one) => [keyText(artifactNameKey(one)), one.number]));
  const stray = names.filter((name) => wanted.get(keyText(name)) !== name.number);
  return [
    ...nameless.map((artifact): Finding => {
      const key = artifactNameKey(artifact);
      const found = byKey.get(keyText(key));
      const restored: ArtifactName = { ...key, number: artifact.number, _v: 1 };
      return {
        invariant: 41,
        key: shownKey(artifact),
        problem: "its run has no name that leads to it",
        remedy: "writes the name",
        repair: mending([unchanged(artifact)], put(restored, asRead(found))),
      };
    }),
    ...stray
      .filter((name) => !wanted.has(keyText(name)))
      .map(
        (name): Finding => ({
          invariant: 41,
          key: shownKey(name),
          problem: `leads to artifact ${name.number}, which is not there or has another name`,
          remedy: "removes the name",
          repair: mending([], remove(name, asRead(name))),
        }),
      ),
  ];
}

/** Invariant 43: an artifact that counts is listed by its size. */
const checkSizes = (forge: Forge, repositoryId: number, confirmed: readonly Artifact[]): Promise<Finding[]> =>
  sizedThingFindings(
    forge,
    repositoryId,
    "artifacts",
    confirmed.map((one) => ({
      id: one.id,
      sizeBytes: one.sizeBytes,
      item: one,
      isThere: equals({ v: one.v }),
    })),
  );

/** A transaction checks no more; each artifact that comes or goes moves the card, which is checked whole. */
const mostChecks = 90;

/** Invariant 18: the card counts the artifacts and their bytes. */
async function checkCard(
  { table }: Forge,
  { repository: { id, ownerId } }: RepositoryFacts,
  confirmed: readonly Artifact[],
): Promise<Finding[]> {
  const key = cardKey(ownerId, id);
  const card = await table.get<RepositoryCard>(key);
  if (card === undefined) return [];
  const artifactBytes = confirmed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const sums = { artifacts: confirmed.length, artifactBytes };
  const { artifacts: counted = 0, artifactBytes: bytes = 0 } = card;
  if (counted === sums.artifacts && bytes === artifactBytes) return [];
  return [
    {
      invariant: 18,
      key: shownKey(key),
      problem: `counts ${counted} artifacts of ${bytes} bytes, there are ${sums.artifacts} of ${artifactBytes}`,
      remedy: "sets it to what is there",
      repair: withTotals(
        ownerId,
        mending(
          confirmed.slice(0, mostChecks).map(unchanged),
          update(key, { set: sums, add: { v: 1 } }, asRead(card)),
        ),
      ),
    },
  ];
}

/** Invariant 21: the files are there, and no other objects but those that a look will find, or that are young. */
async function checkObjects(
  { blobs, clock, table }: Forge,
  repositoryId: number,
  artifacts: readonly Artifact[],
): Promise<Finding[]> {
  const named = new Map(
    artifacts.flatMap((one) => (one.objectKey === undefined ? [] : [[one.objectKey, one]])),
  );
  const listed = new Map<string, number>();
  for await (const { key, modified } of blobs.list(artifactObjects(repositoryId)))
    listed.set(key, modified.getTime());
  const oldest = clock.now() - 2 * uploadGraceMs;
  const unnamed = [...listed].filter(([key, modified]) => !named.has(key) && modified < oldest);
  const due = unnamed.length === 0 ? [] : await listDue<ArtifactSweep>({ table }, artifactSweepKind);
  const noted = due.filter((one) => one.repositoryId === repositoryId).map(objectsOfUpload);
  return [
    ...[...named]
      .filter(([key]) => !listed.has(key as string))
      .map(([key]) => ({
        invariant: 21,
        key: key as string,
        problem: "the file of an artifact is not there",
        remedy: "nothing derives it: restore it from a backup, or delete the artifact",
      })),
    ...unnamed
      .filter(([key]) => !noted.some((prefix) => key.startsWith(prefix)))
      .map(([key]): Finding => {
        const [number = 0, upload = 0] = key
          .slice(artifactObjects(repositoryId).length)
          .split("/")
          .map(Number);
        return {
          invariant: 21,
          key,
          problem: "is the file of no artifact, and nothing is to look at its upload",
          remedy: "has it removed",
          repair: (on) => on.table.write(lookAtUpload({ repositoryId, number, upload }, on.clock.now())),
        };
      }),
  ];
}

/** Invariant 9: the counter has passed every number that was given. */
async function checkNumbers(
  { table }: Forge,
  repositoryId: number,
  artifacts: readonly Artifact[],
): Promise<Finding[]> {
  const key = artifactSequenceKey(repositoryId);
  const greatest = Math.max(0, ...artifacts.slice(-1).map(({ number }) => number));
  const last = greatest === 0 ? 0 : await lastNumber(table, key);
  return checkCounter({ key, last, greatest, thing: "artifact" });
}

async function checkArtifacts(forge: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const { id } = facts.repository;
  const items = await forge.table.queryAll<Item>({ pk: artifactsPartition(id) });
  const of = (prefix: string) => items.filter(({ sk }) => sk.startsWith(prefix)) as unknown[];
  const artifacts = of(artifactPrefix) as Artifact[];
  const confirmed = artifacts.filter(({ state }) => state === "confirmed");
  return [
    ...checkNames(artifacts, of(artifactNamePrefix) as ArtifactName[]),
    ...(await checkSizes(forge, id, confirmed)),
    ...(await checkCard(forge, facts, confirmed)),
    ...(await checkObjects(forge, id, artifacts)),
    ...(await checkNumbers(forge, id, artifacts)),
  ];
}

export const artifactChecks: Checks = { live: [checkArtifacts] };
