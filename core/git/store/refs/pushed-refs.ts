import type { Table } from "../../../table.ts";
import type { LoggedChange } from "../../refs/ref-log.ts";
import { readLogChunks } from "./read-log.ts";

/** The changes of the push that made a version of the refs, in order; empty once the log no longer has them. */
export async function readPushedRefs(
  table: Table,
  repositoryId: number,
  version: number,
): Promise<LoggedChange[]> {
  const chunks = await readLogChunks(table, repositoryId, version, version);
  return chunks.flatMap(({ changes }) => changes);
}
