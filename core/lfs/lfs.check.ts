import type { Forge } from "../forge.ts";
import { listDue } from "../jobs/due.ts";
import type { Job } from "../jobs/job.table.ts";
import { startJob } from "../jobs/job.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { withTotals } from "../quota/recount.ts";
import { usageWrites } from "../quota/usage.ts";
import { cardKey, type RepositoryCard } from "../repository/repository.table.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove, update } from "../table/write.ts";
import { lfsForkJobKind } from "./fork.ts";
import {
  type LfsFile,
  type LfsHolder,
  type LfsObject,
  type LfsSources,
  type LfsWaitingFork,
  lfsFile,
  lfsFilesOf,
  lfsHolderKey,
  lfsObjectKey,
  lfsObjectsOf,
  lfsSourcesKey,
} from "./lfs.table.ts";
import { lockChecks } from "./lock.check.ts";
import { type LfsFileSweep, lfsFileSweepKind, sweepLfsFilesLater } from "./sweep.ts";
import { type LfsUploadSweep, lfsUploadSweepKind, longestUploadMs } from "./upload.ts";

const objectKind = "R#<repository>#LFS / O#<oid>";
const holderKind = "LFS#<oid> / <upload>#<repository>";
const sourcesKind = "R#<repository>#LFS / SOURCES";
const waitingKind = "R#<repository>#LFS / FORK#<fork>";
const jobKind = "JOB#<part> / <job>";

const textOf = ({ uploadId, oid }: LfsFile): string => lfsFile({ uploadId, oid });
const oidOf = ({ pk }: LfsHolder): string => pk.slice(pk.indexOf("#") + 1);

/** Invariants 18, 21 and 42, of the objects of one repository. */
async function checkObjects(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id, ownerId } = repository;
  // The card first: an object that comes or goes after it was read has moved it.
  const card = await forge.table.get<RepositoryCard>(cardKey(ownerId, id));
  const objects = await forge.table.queryAll<LfsObject>(lfsObjectsOf(id));
  return [
    ...(card === undefined ? [] : checkSum(ownerId, card, objects)),
    ...(await checkHolders(forge, objects)),
    ...(await checkFiles(forge, ownerId, objects)),
  ];
}

/** Invariant 18: the card counts the bytes of the objects. */
function checkSum(ownerId: number, card: RepositoryCard, objects: readonly LfsObject[]): Finding[] {
  const lfsBytes = objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if ((card.lfsBytes ?? 0) === lfsBytes) return [];
  const key = cardKey(ownerId, card.repositoryId);
  const mended = mending([], update(key, { set: { lfsBytes }, add: { v: 1 } }, asRead(card)));
  return [
    {
      invariant: 18,
      key: shownKey(key),
      problem: `lfsBytes counts ${card.lfsBytes ?? 0}, there are ${lfsBytes}`,
      remedy: "sets it to what is there",
      repair: withTotals(ownerId, mended),
    },
  ];
}

/** Invariant 42: each object has its row at its id. */
async function checkHolders({ table }: Forge, objects: readonly LfsObject[]): Promise<Finding[]> {
  const keyFor = (object: LfsObject) => lfsHolderKey(object, object.repositoryId);
  const found = await table.getAll<LfsHolder>(objects.map(keyFor));
  return objects.flatMap((object): Finding[] => {
    const holder = found.get(keyText(keyFor(object)));
    if (holder !== undefined && holder.isGone !== true) return [];
    const { repositoryId, uploadId } = object;
    const restored: LfsHolder = { ...keyFor(object), repositoryId, uploadId, _v: 1 };
    return [
      {
        invariant: 42,
        key: shownKey(object),
        problem: "has no row at its id, so that its file would be taken for one that nobody has",
        remedy: "writes it",
        repair: mending([check(object, asRead(object))], put(restored, asRead(holder))),
      },
    ];
  });
}

/** Invariant 21: the files are there. A repository that lost one takes it again with the next push of who has it. */
async function checkFiles(forge: Forge, ownerId: number, objects: readonly LfsObject[]): Promise<Finding[]> {
  const sizes = new Map<string, number>();
  for (const uploadId of new Set(objects.map((object) => object.uploadId))) {
    for await (const { key, sizeBytes } of forge.blobs.list(lfsFilesOf(uploadId))) sizes.set(key, sizeBytes);
  }
  return objects
    .filter((object) => sizes.get(textOf(object)) !== object.sizeBytes)
    .map((object) => ({
      invariant: 21,
      key: textOf(object),
      problem: `the file of ${shownKey(object)} is not there, or has not its ${object.sizeBytes} bytes`,
      remedy: "takes the object from the repository, which a push brings again; or restore the file before",
      repair: async ({ table }: Forge) => {
        const { repositoryId, sizeBytes } = object;
        const { committed } = await table.transact([
          remove(object, asRead(object)),
          remove(lfsHolderKey(object, repositoryId)),
          ...usageWrites([{ ownerId, repositoryId, name: "lfs", bytes: -sizeBytes }]),
        ]);
        return committed;
      },
    }));
}

/** Invariant 42: a row at an id is that of an object, and a mark of an upload that was given up is of none. */
function checkStrayHolders(_forge: Forge, facts: TableFacts): Finding[] {
  const known = new Set(
    facts.all<LfsObject>(objectKind).map((object) => keyText(lfsHolderKey(object, object.repositoryId))),
  );
  return facts
    .all<LfsHolder>(holderKind)
    .filter((holder) => holder.isGone !== true && !known.has(keyText(holder)))
    .map((holder) => {
      const { repositoryId, uploadId } = holder;
      const oid = oidOf(holder);
      return {
        invariant: 42,
        key: shownKey(holder),
        problem: `repository ${repositoryId} has no such object in this file`,
        remedy: "removes the row, and has the file removed if nobody else has it",
        repair: async (on: Forge) => {
          const object = await on.table.get<LfsObject>(lfsObjectKey(repositoryId, oid));
          const writes = [
            check(lfsObjectKey(repositoryId, oid), asRead(object)),
            remove(holder, asRead(holder)),
            sweepLfsFilesLater(on, [{ oid, uploadId }]),
          ];
          return object?.uploadId !== uploadId && (await on.table.transact(writes)).committed;
        },
      };
    });
}

/** Invariant 21: a file that nobody has is young, or a sweep is to look at it. */
async function checkUnnamedFiles(forge: Forge, facts: TableFacts): Promise<Finding[]> {
  const { clock, config } = forge;
  const held = facts.all<LfsHolder>(holderKind).filter(({ isGone }) => isGone !== true);
  const named = new Set(held.map((holder) => textOf({ oid: oidOf(holder), uploadId: holder.uploadId })));
  const oldest = clock.now() - config.lfsHttpAuthExpirySeconds * 1000 - 2 * longestUploadMs;
  const unnamed: LfsFile[] = [];
  for await (const { key, modified } of forge.blobs.list("lfs/")) {
    const [, uploadId = "", oid = ""] = key.split("/");
    if (!named.has(key) && modified.getTime() < oldest) unnamed.push({ uploadId, oid });
  }
  if (unnamed.length === 0) return [];
  const uploads = await listDue<LfsUploadSweep>(forge, lfsUploadSweepKind);
  const left = await listDue<LfsFileSweep>(forge, lfsFileSweepKind);
  const isNoted = (file: LfsFile) =>
    uploads.some(({ uploadId }) => uploadId === file.uploadId) ||
    left.some(({ files }) => files.some((one) => textOf(one) === textOf(file)));
  return unnamed
    .filter((file) => !isNoted(file))
    .map((file) => ({
      invariant: 21,
      key: textOf(file),
      problem: "is the file of no LFS object, and no sweep is to look at it",
      remedy: "has it removed",
      repair: (on: Forge) => on.table.write(sweepLfsFilesLater(on, [file], 0)),
    }));
}

/** Invariant 42: a fork that waits for its objects has a job, and its sources know of it. */
function checkForks(_forge: Forge, facts: TableFacts): Finding[] {
  const jobs = facts.all<Job>(jobKind).filter(({ kind }) => kind === lfsForkJobKind);
  const waiting = new Set(jobs.map((job) => (job.arguments as { forkId: number }).forkId));
  const sources = facts.all<LfsSources>(sourcesKind);
  const forgotten = sources.filter(({ pk }) => !waiting.has(Number(pk.split("#")[1])));
  const known = new Set(sources.map(({ pk }) => pk));
  const stray = facts
    .all<LfsWaitingFork>(waitingKind)
    .filter(({ forkId }) => !known.has(lfsSourcesKey(forkId).pk));
  return [
    ...forgotten.map((item) => ({
      invariant: 42,
      key: shownKey(item),
      problem: "the fork waits for its objects, and no job gives them to it",
      remedy: "starts the job",
      repair: async (on: Forge) => {
        const job = startJob(on, lfsForkJobKind, { forkId: Number(item.pk.split("#")[1]) });
        return (await on.table.transact([check(item, exists), job.write])).committed;
      },
    })),
    ...stray.map((row) => ({
      invariant: 42,
      key: shownKey(row),
      problem: `fork ${row.forkId} does not wait for these objects`,
      remedy: "removes the row",
      repair: mending([check(lfsSourcesKey(row.forkId), absent)], remove(row, asRead(row))),
    })),
  ];
}

export const lfsChecks: Checks = {
  reads: [objectKind, holderKind, sourcesKind, waitingKind, jobKind],
  table: [checkStrayHolders, checkUnnamedFiles, checkForks],
  live: [checkObjects, lockChecks],
};
