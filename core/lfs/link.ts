import { attempts } from "../concurrency/attempts.ts";
import { inTurn } from "../concurrency/turns.ts";
import { conflict } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { usageHolderOf, usageWrites } from "../quota/usage.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, put, type Write } from "../table/write.ts";
import { type LfsFile, type LfsHolder, type LfsObject, lfsHolderKey, lfsObjectKey } from "./lfs.table.ts";

/** The writes by which a repository has an object that it lacks. */
function linkWrites(object: LfsObject): Write[] {
  const { repositoryId, uploadId } = object;
  const holder: LfsHolder = { ...lfsHolderKey(object, repositoryId), repositoryId, uploadId, _v: 1 };
  // An upload that was given up has its mark in the holder's place.
  return [put(object, absent), put(holder, absent)];
}

const objectOf = (
  forge: Forge,
  repositoryId: number,
  { oid, uploadId, sizeBytes }: LfsFile & { readonly sizeBytes: number },
): LfsObject => ({
  ...lfsObjectKey(repositoryId, oid),
  ...{ repositoryId, oid, sizeBytes, uploadId, linkedAt: forge.clock.now(), _v: 1 },
});

/** The writes that count new objects where their repository is now. NotFound once it is being deleted. */
async function countWrites(forge: Forge, repositoryId: number, objects: readonly { sizeBytes: number }[]) {
  const bytes = objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return usageWrites([{ ...(await usageHolderOf(forge, repositoryId)), name: "lfs", bytes }]);
}

/** All objects of a repository are counted on one item: those of one process don't get in each other's way. */
const inTurnOf = <T>(forge: Forge, repositoryId: number, work: () => Promise<T>): Promise<T> =>
  inTurn(forge, `lfs ${repositoryId}`, work);

const busy = () => conflict("the repository is being changed by others; try again");

/**
 * Gives a repository an object whose file lies in the bucket, checked. True when it has the object then, from this
 * upload or another; false when the upload was given up meanwhile.
 */
export const linkUploaded = (
  forge: Forge,
  repositoryId: number,
  file: LfsFile & { readonly sizeBytes: number },
): Promise<boolean> =>
  inTurnOf(forge, repositoryId, async () => {
    for await (const _attempt of attempts()) {
      const counting = await countWrites(forge, repositoryId, [file]);
      const writes = [...linkWrites(objectOf(forge, repositoryId, file)), ...counting];
      if ((await forge.table.transact(writes)).committed) return true;
      if ((await forge.table.get(lfsObjectKey(repositoryId, file.oid))) !== undefined) return true;
      if ((await forge.table.get(lfsHolderKey(file, repositoryId))) !== undefined) return false;
    }
    throw busy();
  });

/** Three writes each beside those that count them, and a transaction takes a hundred. */
const objectsAtOnce = 32;

/**
 * Gives a repository objects of others, which share their files from then on. Those that the others have lost meanwhile
 * are left out. May be repeated.
 */
export async function shareLfsObjects(
  forge: Forge,
  repositoryId: number,
  objects: readonly LfsObject[],
): Promise<void> {
  for (let at = 0; at < objects.length; at += objectsAtOnce) {
    const some = objects.slice(at, at + objectsAtOnce);
    await inTurnOf(forge, repositoryId, () => shareSome(forge, repositoryId, some));
  }
}

async function shareSome(forge: Forge, repositoryId: number, some: readonly LfsObject[]): Promise<void> {
  const { table } = forge;
  let wanted = some;
  for await (const _attempt of attempts()) {
    const own = await table.getAll(wanted.map(({ oid }) => lfsObjectKey(repositoryId, oid)));
    wanted = wanted.filter(({ oid }) => !own.has(keyText(lfsObjectKey(repositoryId, oid))));
    if (wanted.length === 0) return;
    const counting = await countWrites(forge, repositoryId, wanted);
    const links = wanted.flatMap((object) => [
      // As long as the other has it, its file stays.
      check(lfsObjectKey(object.repositoryId, object.oid), equals({ uploadId: object.uploadId })),
      ...linkWrites(objectOf(forge, repositoryId, object)),
    ]);
    if ((await table.transact([...links, ...counting])).committed) return;
    const there = await table.getAll<LfsObject>(wanted.map(({ pk, sk }) => ({ pk, sk })));
    wanted = wanted.filter((object) => there.get(keyText(object))?.uploadId === object.uploadId);
  }
  throw busy();
}
