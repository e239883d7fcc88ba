import { decodeLogChunk, type LoggedChange } from "../git/refs/ref-log.ts";
import { gitPartition, type LogItem, logPrefix } from "../git/refs/refs.table.ts";
import { padded } from "../ids.ts";
import type { Table } from "../table.ts";

/** The changes of the push that made a version of the refs, in their order; empty once the log no longer has them. */
export async function readPushedRefs(
  table: Table,
  repositoryId: number,
  version: number,
): Promise<LoggedChange[]> {
  const items = await table.queryAll<LogItem>({
    pk: gitPartition(repositoryId),
    prefix: `${logPrefix}${padded(version)}#`,
  });
  return items.flatMap((item) => decodeLogChunk(item.changes).changes);
}
