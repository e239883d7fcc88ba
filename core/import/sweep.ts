import type { Forge } from "../forge.ts";
import { dueWrite, settleDue } from "../jobs/due.ts";
import { equals } from "../table/condition.ts";
import { remove, type Write } from "../table/write.ts";
import { type Import, type ImportUpload, importKey, importObjects } from "./import.table.ts";

/** The kind of looks at uploads whose time is over, for the tick. */
const importSweepKind = "imports";

/** A part whose upload began in time has come by then. */
const lateMs = 6 * 3_600_000;

/** Schedules a look at an upload after its time. */
export function sweepImportLater({ repositoryId, userId, uploadId, until }: Import): Write {
  const upload: ImportUpload = { repositoryId, userId, uploadId };
  return dueWrite(importSweepKind, until * 1000 + lateMs, uploadId, upload);
}

/** For the tick: removes the parts of bundles that were abandoned, or failed for good. Answers how many uploads. */
export const sweepImports = (forge: Forge): Promise<number> =>
  settleDue<ImportUpload>(forge, importSweepKind, async (upload) => {
    const key = importKey(upload);
    const found = await forge.table.get<Import>(key);
    if (found?.uploadId === upload.uploadId) {
      if (found.state === "waiting") return false;
      if (found.state === "open" && !(await forge.table.write(remove(key, equals({ v: found.v })))))
        return false;
    }
    const keys: string[] = [];
    for await (const one of forge.blobs.list(importObjects(upload))) keys.push(one.key);
    await forge.blobs.remove(keys);
    return true;
  });
