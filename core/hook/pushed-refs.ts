import { readLogChunks } from "../git/refs/read-log.ts";
import type { LoggedChange } from "../git/refs/ref-log.ts";
import type { Table } from "../table.ts";

/** The changes of the push that made a version of the refs, in their order; empty once the log no longer has them. */
export async function readPushedRefs(
  table: Table,
  repositoryId: number,
  version: number,
): Promise<LoggedChange[]> {
  const chunks = await readLogChunks(table, repositoryId, version, version);
  return chunks.flatMap(({ changes }) => changes);
}
