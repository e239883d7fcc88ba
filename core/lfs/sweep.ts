import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { dueWrite, settleDue } from "../jobs/due.ts";
import { noteRepositoryActivity } from "../repository/listing/index-writes.ts";
import { absent } from "../table/condition.ts";
import { keyText, put, type Write } from "../table/write.ts";
import {
  type LfsFile,
  type LfsHolder,
  lfsFile,
  lfsFilesOf,
  lfsHolderKey,
  lfsHoldersOfFile,
} from "./lfs.table.ts";
import { type LfsUploadSweep, lfsUploadSweepKind } from "./upload.ts";

/** The kind under which looks at files are due that a repository has left. */
export const lfsFileSweepKind = "lfs-files";

/** Files that may be without a repository. */
export interface LfsFileSweep {
  readonly files: readonly LfsFile[];
}

/** How long a file stays after its last repository lost it: a download that began goes on to its end. */
const lfsGraceMs = 24 * 3_600_000;

/** Schedules a look at files: they are removed then unless some repository has them. */
export const sweepLfsFilesLater = (forge: Forge, files: readonly LfsFile[], waitMs = lfsGraceMs): Write =>
  dueWrite(lfsFileSweepKind, forge.clock.now() + waitMs, randomId(), { files });

/** For the tick: removes what uploads have left, and files that no repository has any more. Answers how many looks. */
export async function sweepLfs(forge: Forge): Promise<number> {
  const uploads = await settleDue<LfsUploadSweep>(forge, lfsUploadSweepKind, async (due) => {
    await giveUp(forge, due);
    await noteRepositoryActivity(forge, due.repositoryId); // a push has, unless none followed the upload
    return true;
  });
  const files = await settleDue<LfsFileSweep>(forge, lfsFileSweepKind, async (due) => {
    const left = await Promise.all(due.files.map((file) => isHeld(forge, file)));
    await forge.blobs.remove(due.files.filter((_, at) => left[at] === false).map(lfsFile));
    return true;
  });
  return uploads + files;
}

const objectsAtOnce = 100;

/** Removes the files of an upload that nothing has. What would name one of them now finds that it is too late. */
async function giveUp(forge: Forge, { uploadId, repositoryId }: LfsUploadSweep): Promise<void> {
  const prefix = lfsFilesOf(uploadId);
  const files: LfsFile[] = [];
  for await (const { key } of forge.blobs.list(prefix))
    files.push({ oid: key.slice(prefix.length), uploadId });
  for (let at = 0; at < files.length; at += objectsAtOnce) {
    const some = files.slice(at, at + objectsAtOnce);
    const held = await forge.table.getAll<LfsHolder>(some.map((file) => lfsHolderKey(file, repositoryId)));
    const isOwn = (file: LfsFile) => {
      const holder = held.get(keyText(lfsHolderKey(file, repositoryId)));
      return holder !== undefined && holder.isGone !== true;
    };
    const gone: LfsFile[] = [];
    for (const file of some) {
      if (!isOwn(file) && (await markGone(forge, file, repositoryId))) gone.push(file);
    }
    await forge.blobs.remove(gone.map(lfsFile));
  }
}

const markSeconds = 7 * 86_400;

/** True once the file of an upload can be named by nobody any more. */
async function markGone(forge: Forge, file: LfsFile, repositoryId: number): Promise<boolean> {
  if (await isHeld(forge, file)) return false;
  const key = lfsHolderKey(file, repositoryId);
  const ttl = Math.floor(forge.clock.now() / 1000) + markSeconds;
  const mark: LfsHolder = { ...key, repositoryId, uploadId: file.uploadId, isGone: true, ttl, _v: 1 };
  if (await forge.table.write(put(mark, absent))) return true;
  return (await forge.table.get<LfsHolder>(key))?.isGone === true;
}

/** Whether some repository has a file. */
async function isHeld({ table }: Forge, file: LfsFile): Promise<boolean> {
  const holders = await table.queryAll<LfsHolder>({ ...lfsHoldersOfFile(file), limit: 2 });
  return holders.some(({ isGone }) => isGone !== true);
}
