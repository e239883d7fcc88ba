import type { Forge } from "../forge.ts";
import { keyText, type TableKey } from "../table/write.ts";
import { lentTo } from "./lend.ts";
import {
  type LfsObject,
  type LfsSources,
  lfsFile,
  lfsObjectKey,
  lfsObjectsOf,
  lfsSourcesKey,
} from "./lfs.table.ts";

/** The keys that tell whether a repository has these objects. */
export const lfsObjectKeys = (repositoryId: number, oids: readonly string[]): TableKey[] => [
  lfsSourcesKey(repositoryId),
  ...oids.map((oid) => lfsObjectKey(repositoryId, oid)),
];

/**
 * Those of these objects that a repository has, by id. A fork has what its sources lend it (`lentTo`) until its own are
 * written.
 */
export async function findLfsObjects(
  forge: Forge,
  repositoryId: number,
  oids: readonly string[],
): Promise<Map<string, LfsObject>> {
  const { table } = forge;
  const found = await table.getAll(lfsObjectKeys(repositoryId, oids));
  const objectsOf = (id: number, items: ReadonlyMap<string, unknown>) =>
    oids.flatMap((oid) => (items.get(keyText(lfsObjectKey(id, oid))) as LfsObject | undefined) ?? []);
  const own = objectsOf(repositoryId, found);
  const sources = found.get(keyText(lfsSourcesKey(repositoryId))) as LfsSources | undefined;
  const objects = new Map(own.map((object) => [object.oid, object]));
  if (sources === undefined || objects.size === new Set(oids).size) return objects;
  const { sourceIds } = sources;
  const there = await table.getAll(sourceIds.flatMap((id) => oids.map((oid) => lfsObjectKey(id, oid))));
  const others = sourceIds.flatMap((id) => objectsOf(id, there));
  const lent = await lentTo(forge, repositoryId, sources, others);
  return new Map([...lent.map((one) => [one.oid, one] as const), ...objects]);
}

/** One of them. */
export const findLfsObject = async (
  forge: Forge,
  repositoryId: number,
  oid: string,
): Promise<LfsObject | undefined> => (await findLfsObjects(forge, repositoryId, [oid])).get(oid);

/** Whether a repository has any object. */
export async function hasLfsObjects({ table }: Pick<Forge, "table">, repositoryId: number): Promise<boolean> {
  const [sources, some] = await Promise.all([
    table.get(lfsSourcesKey(repositoryId)),
    table.query({ ...lfsObjectsOf(repositoryId), limit: 1 }),
  ]);
  return sources !== undefined || some.items.length > 0;
}

/** The content of an object, or its bytes from `start` up to but without `end`. */
export const readLfsObject = (
  { blobs }: Pick<Forge, "blobs">,
  object: LfsObject,
  start?: number,
  end?: number,
): AsyncIterable<Uint8Array> => blobs.stream(lfsFile(object), start, end);

/** Its first bytes. */
export const sampleLfsObject = (
  { blobs }: Pick<Forge, "blobs">,
  object: LfsObject,
  most: number,
): Promise<Buffer> => blobs.read(lfsFile(object), 0, Math.min(most, object.sizeBytes));

/** How long an address of S3 is good for. */
export const lfsAddressSeconds = 3_600;

/** An address where S3 serves an object itself; undefined when clients can't reach S3. */
export const lfsDownloadUrl = (
  { blobs }: Pick<Forge, "blobs">,
  object: LfsObject,
  contentDisposition = "attachment",
): Promise<string | undefined> =>
  blobs.downloadUrl(
    lfsFile(object),
    { contentType: "application/octet-stream", contentDisposition },
    lfsAddressSeconds,
  );
