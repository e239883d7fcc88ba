import { padded } from "../../../ids.ts";
import type { Table } from "../../../table.ts";
import { decodeLogChunk, type LogChunk } from "../../refs/ref-log.ts";
import { gitPartition, type LogItem, logPrefix, parseLogSortKey, stagedPrefix } from "./refs.table.ts";

/** A chunk of the log, and the version that its push made. */
export interface VersionChunk extends LogChunk {
  readonly v: number;
}

/**
 * The existing chunks of the versions from `from` to `to`, in order, wherever they lie. Right after a transaction some
 * may not show yet: `chunks` says how many a version has.
 */
export async function readLogChunks(
  table: Table,
  repositoryId: number,
  from: number,
  to: number,
): Promise<VersionChunk[]> {
  const pk = gitPartition(repositoryId);
  const items = await table.queryAll<LogItem>({
    pk,
    from: `${logPrefix}${padded(from)}#`,
    to: `${logPrefix}${padded(to)}#~`,
  });
  const found: VersionChunk[] = [];
  for (const item of items) {
    const { v } = parseLogSortKey(item.sk);
    found.push({ ...decodeLogChunk(item.changes), v });
    if (item.staged === undefined) continue;
    const staged = await table.queryAll<LogItem>({ pk, prefix: stagedPrefix(item.staged) });
    for (const { changes } of staged) found.push({ ...decodeLogChunk(changes), v });
  }
  return found;
}
