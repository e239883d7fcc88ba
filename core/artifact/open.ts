import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextArtifactNumber } from "../ids.ts";
import { noteDeltaWrite } from "../list-index/compaction-requests.ts";
import { repositoryKey } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, put } from "../table/write.ts";
import { artifactDelta, artifactIndex } from "./artifact.index.ts";
import {
  type Artifact,
  type ArtifactName,
  artifactId,
  artifactKey,
  artifactNameKey,
  artifactsPerRepository,
} from "./artifact.table.ts";
import { artifactNameProblem, findArtifactOfRun } from "./artifact.ts";
import { fileLeavingWrites, lookAtUpload, uploadGraceMs } from "./write.ts";

/** An artifact that a job wants to upload. The caller knows that the run is the repository's. */
export interface NewArtifact {
  readonly runId: number;
  readonly name: string;
  /** Whole days; the setting's when absent. */
  readonly keptDays?: number;
}

const mostDays = 3_650;
const secondsOfDay = 86_400;

/**
 * Opens the upload of an artifact: a new one, or the one of that name in the run, whose file is gone with it (semantics
 * §62.2). It is pending until `confirmArtifact`, and removed after a day unless that comes. BadRequest for a name that
 * is not valid; NotFound once the repository is being deleted.
 */
export async function openArtifact(
  forge: Forge,
  repositoryId: number,
  wanted: NewArtifact,
): Promise<Artifact> {
  const problem = artifactNameProblem(wanted.name);
  if (problem !== undefined) throw problem;
  let made: Artifact | undefined;
  for await (const _attempt of attempts()) {
    const before = await findArtifactOfRun(forge, repositoryId, wanted.runId, wanted.name);
    if (before === undefined) made ??= await newArtifact(forge, repositoryId, wanted);
    const opened = before === undefined ? made : reopened(forge, before, wanted);
    if (opened !== undefined && (await writeOpened(forge, before, opened))) return opened;
  }
  throw conflict("the artifact is being changed by others; try again");
}

async function writeOpened(forge: Forge, before: Artifact | undefined, opened: Artifact): Promise<boolean> {
  const { repositoryId, number } = opened;
  const name: ArtifactName = { ...artifactNameKey(opened), number, _v: 1 };
  const { committed } = await forge.table.transact([
    put(opened, before === undefined ? absent : equals({ v: before.v })),
    artifactDelta(opened),
    lookAtUpload(opened, forge.clock.now() + uploadGraceMs),
    check(repositoryKey(repositoryId), equals({ state: "live" })),
    ...(before === undefined ? [put(name, absent)] : await fileLeavingWrites(forge, before)),
  ]);
  if (committed) await noteDeltaWrite(forge, artifactIndex(repositoryId));
  else await requireLive(forge, repositoryId);
  return committed;
}

async function requireLive({ table }: Forge, repositoryId: number): Promise<void> {
  const repository = await table.get(repositoryKey(repositoryId));
  if (repository?.state !== "live") throw notFound("the repository was deleted meanwhile");
}

async function newArtifact(
  forge: Forge,
  repositoryId: number,
  { runId, name, keptDays }: NewArtifact,
): Promise<Artifact> {
  const number = await nextArtifactNumber(forge.table, repositoryId);
  if (number >= artifactsPerRepository) {
    throw unprocessable(`a repository takes at most ${artifactsPerRepository - 1} artifacts`);
  }
  const now = nowSeconds(forge.clock);
  return {
    ...artifactKey(repositoryId, number),
    ...{ id: artifactId(repositoryId, number), repositoryId, number, runId, name },
    ...{ state: "pending", upload: 1, sizeBytes: 0, pieces: 0, pieceBytes: 0 },
    ...{ createdAt: now, updatedAt: now, expiresAt: expiry(forge, keptDays), v: 1, _v: 1 },
  };
}

function reopened(forge: Forge, before: Artifact, { keptDays }: NewArtifact): Artifact {
  const { objectKey: _, sha256: __, ...kept } = before;
  const v = before.v + 1;
  return {
    ...kept,
    ...{ state: "pending", upload: v, v, sizeBytes: 0, pieces: 0, pieceBytes: 0 },
    ...{ updatedAt: nowSeconds(forge.clock), expiresAt: expiry(forge, keptDays) },
  };
}

const expiry = ({ clock, config }: Forge, days = config.artifactRetentionDays): number =>
  nowSeconds(clock) + Math.min(Math.max(days, 1), mostDays) * secondsOfDay;
