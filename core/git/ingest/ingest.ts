import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "../../defined.ts";
import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import { localPackFiles } from "../pack/local-pack-files.ts";
import { PackCaches } from "../pack/pack-caches.ts";
import { PackReader } from "../pack/pack-reader.ts";
import { PackSet } from "../pack/pack-set.ts";
import { SideFile } from "../pack/side-file.ts";
import { asSpaceFailure, IngestError } from "./ingest-error.ts";
import { limitsOf } from "./ingest-limits.ts";
import { ingestOnThread } from "./ingest-on-thread.ts";
import type { IngestedPack, IngestOptions, IngestRecord, IngestResult } from "./ingest-types.ts";
import type { IngestOutcome } from "./run-ingest.ts";
import { spoolArrival } from "./spool/spool-arrival.ts";

/**
 * Takes a pack from a stream: checks everything, completes it, indexes it, leaves it in a temporary file. Once the
 * whole pack is there, the work runs on a thread (`core/compute`). Refusals are values and leave no file behind; the
 * source is then left where it is, for the caller to drain or destroy. Errors of `findBases` are thrown on.
 */
export async function ingestPack(
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
): Promise<IngestResult> {
  let folder = "";
  let outcome: IngestOutcome | undefined;
  try {
    folder = await mkdtemp(join(options.temporaryFolder, "ingest-"));
    const inFolder = { ...options, temporaryFolder: folder };
    const path = join(folder, "arrived.pack");
    const packBytes = await spoolArrival(source, {
      path,
      limits: limitsOf(options),
      ...defined({ signal: options.signal }),
    });
    options.onArrived?.(path, packBytes);
    outcome = await ingestOnThread(path, inFolder);
  } catch (error) {
    const named = asSpaceFailure(error);
    if (!(named instanceof IngestError)) throw named;
    outcome = { ok: false, reason: named.reason };
  } finally {
    if (folder !== "" && outcome?.ok !== true) await remove(folder);
  }
  if (!outcome.ok) return outcome;
  return { ok: true, pack: ingestedPack(outcome.record, options.format, folder) };
}

function missing(id: ObjectId): never {
  throw new Error(`object ${id} is not in the pack`);
}

/** Repeated because a file may still be written in the folder: a base on its way when the push ended. */
const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });

function ingestedPack(record: IngestRecord, format: ObjectFormat, folder: string): IngestedPack {
  const pack: IngestedPack = {
    ...record,
    format,
    sideFile: new SideFile(record.side),
    has: (id) => objects.has(id),
    read: async (id) => {
      const place = objects.find(id);
      return place === undefined ? undefined : objects.read(place);
    },
    stream: (id) => objects.stream(objects.find(id) ?? missing(id)),
    dispose: () => remove(folder),
  };
  const objects = new PackSet(format, [readerOf(pack)]);
  return pack;
}

const cacheBounds = { fileBytes: 1, blockBytes: 16 * 2 ** 20, linkBytes: 1, baseBytes: 8 * 2 ** 20 };

/** Reads the pack from its temporary file, with caches of its own. */
function readerOf({ packPath, packBytes, side, sideFile, objectCount }: IngestedPack): PackReader {
  const entry = { id: packPath, key: packPath, packBytes, sideBytes: side.length, objects: objectCount };
  return new PackReader(localPackFiles(packPath), entry, sideFile, new PackCaches(cacheBounds));
}
