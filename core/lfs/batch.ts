import { nobody } from "../access/acquaintance.ts";
import { accessMode, modeOf } from "../access/modes.ts";
import { isHiddenFromToken } from "../access/public-only.ts";
import { findAccessesById } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table/write.ts";
import { type LfsHolder, type LfsObject, lfsHoldersOf, lfsObjectKey } from "./lfs.table.ts";
import { findLfsObjects } from "./lfs.ts";
import { shareLfsObjects } from "./link.ts";
import { mostLfsBytes } from "./most-bytes.ts";
import { isLfsOid, type LfsPointer } from "./pointer.ts";

/** What a client has to do about one object; `nothing` when it is there already. */
export type LfsTask = LfsPointer &
  (
    | { readonly task: "nothing" | "upload" }
    | { readonly task: "download"; readonly object: LfsObject }
    | { readonly task: "error"; readonly code: 404 | 422; readonly message: string }
  );

const refused = (asked: LfsPointer, code: 404 | 422, message: string): LfsTask => ({
  ...asked,
  ...{ task: "error", code, message },
});

function malformed(asked: LfsPointer): LfsTask | undefined {
  const { oid, sizeBytes } = asked;
  if (!isLfsOid(oid)) {
    return refused(asked, 422, "the id has to be a SHA-256: 64 hexadecimal digits in small letters");
  }
  const isSize = Number.isSafeInteger(sizeBytes) && sizeBytes >= 0;
  return isSize ? undefined : refused(asked, 422, "the size has to be a whole number of bytes");
}

const otherSize = (asked: LfsPointer, { sizeBytes }: LfsObject) =>
  refused(asked, 422, `the object of this id has ${sizeBytes} bytes`);

const wellFormed = (asked: readonly LfsPointer[]): string[] =>
  asked.filter((one) => malformed(one) === undefined).map(({ oid }) => oid);

/** The tasks for objects that a client wants to download, in their order (semantics §55.3). */
export async function planLfsDownload(
  forge: Forge,
  repositoryId: number,
  asked: readonly LfsPointer[],
): Promise<LfsTask[]> {
  const found = await findLfsObjects(forge, repositoryId, wellFormed(asked));
  return asked.map((one) => {
    const object = found.get(one.oid);
    const problem = malformed(one);
    if (problem !== undefined) return problem;
    if (object === undefined) return refused(one, 404, "this repository does not have the object");
    return object.sizeBytes === one.sizeBytes ? { ...one, task: "download", object } : otherSize(one, object);
  });
}

/**
 * The same for objects that a client offers. One that the repository lacks is to be uploaded, unless the caller may read
 * it in another repository: then this one shares it from now on.
 */
export async function planLfsUpload(
  forge: Forge,
  actor: Actor,
  repositoryId: number,
  asked: readonly LfsPointer[],
): Promise<LfsTask[]> {
  const wanted = new Set(wellFormed(asked));
  const own = await findLfsObjects(forge, repositoryId, [...wanted]);
  const missing = [...wanted].filter((oid) => !own.has(oid));
  const readable = missing.length === 0 ? [] : await findReadable(forge, actor, missing);
  const claimed = new Set(asked.map(({ oid, sizeBytes }) => `${oid} ${sizeBytes}`));
  const shared = readable.filter(({ oid, sizeBytes }) => claimed.has(`${oid} ${sizeBytes}`));
  await shareLfsObjects(forge, repositoryId, shared);
  const found = shared.length === 0 ? own : await findLfsObjects(forge, repositoryId, [...wanted]);
  const most = mostLfsBytes(forge.config);
  return asked.map((one) => {
    const object = found.get(one.oid);
    const problem = malformed(one);
    if (problem !== undefined) return problem;
    if (object !== undefined) {
      return object.sizeBytes === one.sizeBytes ? { ...one, task: "nothing" } : otherSize(one, object);
    }
    return one.sizeBytes > most
      ? refused(one, 422, `an object may have at most ${most} bytes`)
      : { ...one, task: "upload" };
  });
}

/** The most repositories that are searched for one object. */
const mostHolders = 20;

/**
 * Those of some objects that the caller may read somewhere, one of each: as if they had downloaded it there. It takes as
 * many requests when others have an object that the caller may not know of.
 */
async function findReadable(forge: Forge, actor: Actor, oids: readonly string[]): Promise<LfsObject[]> {
  const queries = oids.map((oid) =>
    forge.table.query<LfsHolder>({ ...lfsHoldersOf(oid), limit: mostHolders }),
  );
  const holders = (await Promise.all(queries)).map(({ items }) =>
    items.filter(({ isGone }) => isGone !== true),
  );
  const ids = [...new Set(holders.flat().map(({ repositoryId }) => repositoryId))];
  const accesses = await findAccessesById(forge, actor, ids.length === 0 ? [nobody] : ids);
  const isReadable = ({ repositoryId }: LfsHolder): boolean => {
    const access = accesses.get(repositoryId);
    if (access === undefined || isHiddenFromToken(actor, access)) return false;
    return modeOf(access.rights, "code") >= accessMode.read;
  };
  const places = oids.flatMap((oid, at) => {
    const holder = holders[at]?.find(isReadable);
    return holder === undefined ? [] : [lfsObjectKey(holder.repositoryId, oid)];
  });
  const found = await forge.table.getAll<LfsObject>(
    places.length === 0 ? [lfsObjectKey(nobody, "")] : places,
  );
  return places.flatMap((key) => found.get(keyText(key)) ?? []);
}
