import { attempts } from "../concurrency/attempts.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { dueWrite, settleDue } from "../jobs/due.ts";
import { exists } from "../table/condition.ts";
import { remove, type Write } from "../table/write.ts";
import { contentLeavingWrites } from "./contents.ts";
import { filesOfVersion, type PackageFile, type PackageVersion } from "./package.table.ts";

/** The kind of the sweeps of files whose version is gone. */
export const leftFilesKind = "package-files";

/** A version that is certainly gone, and whose files are still there. */
export interface LeftFiles {
  readonly ownerId: number;
  readonly packageId: number;
  readonly number: number;
}

const filesPerTurn = 100;

/** For the transaction that removes a version: the tick removes its files, however many. */
export const filesLeavingWrite = (
  forge: Forge,
  { ownerId, packageId, number }: Pick<PackageVersion, "ownerId" | "packageId" | "number">,
): Write =>
  dueWrite(leftFilesKind, forge.clock.now(), randomId(), {
    ...({ ownerId, packageId, number } satisfies LeftFiles),
  });

/** For the tick: removes files of removed versions, some of each in one turn. Answers how many versions are done. */
export const sweepLeftPackageFiles = (forge: Forge): Promise<number> =>
  settleDue<LeftFiles>(forge, leftFilesKind, async ({ ownerId, packageId, number }) => {
    const { items, next } = await forge.table.query<PackageFile>({
      ...filesOfVersion(packageId, number),
      limit: filesPerTurn,
    });
    for (const file of items) await removeLeft(forge, ownerId, file);
    return next === undefined;
  });

async function removeLeft(forge: Forge, ownerId: number, file: PackageFile): Promise<void> {
  for await (const _attempt of attempts()) {
    const writes = [remove(file, exists), ...(await contentLeavingWrites(forge, ownerId, file))];
    if ((await forge.table.transact(writes)).committed) return;
    if ((await forge.table.get(file)) === undefined) return; // another tick was faster
  }
  throw new Error(`the content of the file ${file.id} is being changed by others all the time`);
}
