import type { RawFile } from "#core/code/raw-file";
import type { Forge } from "#core/forge";
import { findLfsObject, lfsDownloadUrl, readLfsObject, sampleLfsObject } from "#core/lfs/lfs";
import type { LfsObject } from "#core/lfs/lfs.table";
import { readLfsPointer } from "#core/lfs/pointer";
import { mostStreamedBytes, redirectTo } from "../../http/answer/elsewhere.ts";
import type { FileAnswer } from "../../http/answer/file-answer.ts";
import type { Reply } from "../../http/answer/reply.ts";
import { attachmentAs } from "./content-type.ts";
import { rawAnswer } from "./raw.ts";

const sampleBytes = 1_024;

/**
 * A file of a repository for download; for a pointer of Git LFS the object that it names, if the repository has it
 * (semantics §37.1).
 */
export async function mediaAnswer(
  forge: Forge,
  repositoryId: number,
  file: RawFile,
): Promise<FileAnswer | Reply<FileAnswer>> {
  const object = await findPointedAt(forge, repositoryId, file);
  if (object === undefined) return rawAnswer(file);
  const { oid, sizeBytes } = object;
  if (sizeBytes > mostStreamedBytes) {
    const location = await lfsDownloadUrl(forge, object, attachmentAs(file.name));
    if (location !== undefined) return redirectTo(location);
  }
  const sample = await sampleLfsObject(forge, object, sampleBytes);
  return {
    ...rawAnswer({ ...file, id: oid as RawFile["id"], sizeBytes, sample }),
    read: () => readLfsObject(forge, object),
    readPart: (start, end) => readLfsObject(forge, object, start, end),
  };
}

async function findPointedAt(
  forge: Forge,
  repositoryId: number,
  { kind, sizeBytes, sample }: RawFile,
): Promise<LfsObject | undefined> {
  const isWhole = sample.length === sizeBytes;
  const isServed = forge.config.lfsStartServer && kind === "file" && isWhole;
  const pointer = isServed ? readLfsPointer(sample) : undefined;
  const object = pointer && (await findLfsObject(forge, repositoryId, pointer.oid));
  return object?.sizeBytes === pointer?.sizeBytes ? object : undefined;
}
