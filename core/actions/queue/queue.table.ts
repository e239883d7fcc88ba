import { paddedTime } from "../../ids.ts";
import type { Item, TableKey } from "../../table/write.ts";
import { wellFormed } from "../../text.ts";
import { type Run, runId } from "../actions.table.ts";

/** A run in a queue of waiting jobs: some of its jobs wait for a runner with these labels. */
export interface WaitingRun extends Item {
  readonly repositoryId: number;
  readonly runNumber: number;
  /** The sets of labels of the jobs that wait in this queue. */
  readonly labels: readonly (readonly string[])[];
  readonly _v: 1;
}

/** Whose jobs a runner may take: everybody's, an owner's, or a repository's. */
export type RunnerLevel =
  | { readonly kind: "global" }
  | { readonly kind: "owner"; readonly ownerId: number }
  | { readonly kind: "repository"; readonly repositoryId: number };

/** The levels whose runners may take the jobs of a run. */
export const levelsOf = ({ repositoryId, ownerId }: Pick<Run, "repositoryId" | "ownerId">): RunnerLevel[] => [
  { kind: "global" },
  { kind: "owner", ownerId },
  { kind: "repository", repositoryId },
];

function queueOf(level: RunnerLevel): string {
  if (level.kind === "global") return "WAIT#G#";
  return level.kind === "owner" ? `WAIT#O#${level.ownerId}#` : `WAIT#R#${level.repositoryId}#`;
}

/**
 * The queue of a level's jobs that want these labels: those that want one label alone wait apart from those that want
 * it among others, so that nobody blocks them by labels that no runner has.
 */
export function waitingPartition(level: RunnerLevel, labels: readonly string[]): string {
  const [first = "", ...others] = [...new Set(labels)].sort();
  const text = encodeURIComponent(wellFormed(first));
  return `${queueOf(level)}${text}${others.length > 0 ? "+" : ""}`;
}
export const waitingKey = (
  partition: string,
  { repositoryId, number }: Pick<Run, "repositoryId" | "number">,
  waitsSince: number,
): TableKey => ({ pk: partition, sk: `${paddedTime(waitsSince)}#${runId(repositoryId, number)}` });

/** The counter that moves whenever jobs start to wait for the runners of a level (semantics §60.3). */
export function waitCounterKey(level: RunnerLevel): TableKey {
  if (level.kind === "global") return { pk: "WAITS#G", sk: "#" };
  const pk = level.kind === "owner" ? `WAITS#O#${level.ownerId}` : `WAITS#R#${level.repositoryId}`;
  return { pk, sk: "#" };
}
