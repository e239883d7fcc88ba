import { padded } from "../../ids.ts";
import type { Item, TableKey } from "../../table/write.ts";
import { runsPartition } from "../actions.table.ts";

/** A run of lines of a log, by the number of its first. */
export interface LogPiece extends Item {
  readonly objectKey: string;
  readonly lines: number;
  readonly bytes: number;
  readonly _v: 1;
}

/** The pieces of a job's log, in order. */
export const logPiecesOf = (repositoryId: number, jobNumber: number) => ({
  pk: runsPartition(repositoryId),
  prefix: `L#${padded(jobNumber)}#`,
});
export const logPieceKey = (repositoryId: number, jobNumber: number, firstLine: number): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `L#${padded(jobNumber)}#${padded(firstLine)}`,
});

/** Where the objects of a repository's logs lie, and those of one job. */
export const logObjects = (repositoryId: number): string => `r/${repositoryId}/logs/`;
export const logObjectsOf = (repositoryId: number, jobNumber: number): string =>
  `${logObjects(repositoryId)}${jobNumber}/`;
