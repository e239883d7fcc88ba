import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomId } from "../../ids.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { IngestedPack } from "../ingest/ingest-types.ts";
import type { StagedPacks } from "../ingest/staged-packs.ts";
import { takePack } from "../ingest/take-pack.ts";
import type { PackEntry } from "../pack/pack-files.ts";
import { selectAll } from "../pack/pack-selection.ts";
import { writePack } from "../pack/pack-writer.ts";
import type { GitRepository } from "../repository.ts";
import type { FetchOptions } from "./fetch.ts";
import { RemoteError, type RemoteOutcome, remoteOutcome } from "./remote-failure.ts";

/**
 * A large fetch in progress, as plain values: the driver stores them after each slice and continues from them after a
 * crash. Its packs lie among the `StagedPacks` of the repository; discard them once the fetch has landed or is given up.
 */
export interface StagedFetch {
  readonly id: string;
  /** The ref whose history is coming in slices; absent between two refs. */
  readonly line?: FetchLine;
  /** Refs that the next slice asks for at once, each with all its history; 0: the next ref comes in slices. */
  readonly width: number;
  /** Tips that came in slices, the latest last: sent to the remote as haves even when it has moved its refs. */
  readonly done: readonly ObjectId[];
  /** Histories begun anew because the remote no longer leads to the commits of their slices. */
  readonly restarts: number;
  readonly packs: readonly PackEntry[];
}

/** A history that comes some commits further back with each slice. */
export interface FetchLine {
  /** The remote's ref. */
  readonly name: string;
  /** The commit that the slices go back from. */
  readonly tip: ObjectId;
  /** Commits whose parents have not come yet. */
  readonly frontier: readonly ObjectId[];
  /** Commits from the tip that have come. */
  readonly depth: number;
  /** Commits that the next slice is to go further. */
  readonly step: number;
  /** The packs before the line's first: together with the repository they are complete. */
  readonly packsBefore: number;
}

const firstWidth = 16;
const mostWidth = 4_096;

/** A fetch at its beginning. Into a repository without refs the main branch comes first, in slices. */
export const beginFetch = ({ refs }: GitRepository): StagedFetch => ({
  ...{ id: randomId(), done: [], restarts: 0, packs: [] },
  width: refs.entries.length > 0 ? firstWidth : 0,
});

/** The same after a slice that was too large for the time: the next one asks for less. */
export function withSmallerSlices(staged: StagedFetch): StagedFetch {
  const { line, width } = staged;
  if (line !== undefined) return { ...staged, line: { ...line, step: Math.max(1, line.step >> 2) } };
  return { ...staged, width: width > 1 ? Math.max(1, width >> 4) : 0 };
}

/** The same after a slice that was small. */
export const withLargerSlices = (staged: StagedFetch): StagedFetch => ({
  ...staged,
  width: Math.min(mostWidth, staged.width << 3),
});

/** The same once a line's history is whole. */
export function withoutLine({ line, ...staged }: StagedFetch): StagedFetch {
  const done = line === undefined ? staged.done : [...staged.done, line.tip].slice(-mostDone);
  return { ...staged, done, width: firstWidth };
}

const mostDone = 64;

/**
 * All staged objects as one pack in a temporary file, with the checks of a push: slices get no more trust than a single
 * pack. `bad-pack` when something is missing.
 */
export const collectFetch = (
  packs: StagedPacks,
  repository: GitRepository,
  staged: StagedFetch,
  options: FetchOptions = {},
): Promise<RemoteOutcome<{ readonly pack?: IngestedPack; dispose(): Promise<void> }>> =>
  remoteOutcome(async () => {
    if (staged.packs.length === 0) return { dispose: async () => undefined };
    const packSet = await packs.open(staged.packs);
    const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), "coldforge-fetch-"));
    const dispose = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
    try {
      const pieces = writePack({ packSet, selection: selectAll(packSet), useOfsDelta: true });
      const taken = await takePack(repository, pieces, folder, options);
      if ("pack" in taken) return { pack: taken.pack, dispose };
      throw new RemoteError("bad-pack", taken.problem);
    } catch (error) {
      await dispose();
      throw error;
    }
  });
