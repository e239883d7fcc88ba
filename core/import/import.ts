import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { conflict, forbidden, invalid, notFound, tooLarge } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { closedText } from "../repository/push.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, put, remove } from "../table/write.ts";
import {
  type Import,
  type ImportPart,
  type ImportPlace,
  importKey,
  importObjects,
  importParts,
} from "./import.table.ts";
import { sweepImportLater } from "./sweep.ts";

/** A part can be sent again without losing much, and the largest bundle takes some 130 of them. */
const partBytes = 64 * 2 ** 20;
/** What a bundle has beside its pack: its refs. */
const besidePackBytes = 32 * 2 ** 20;
const openSeconds = 86_400;
const rememberedSeconds = 7 * 86_400;

/** The largest bundle that is taken: a push's largest pack, and its refs. */
const mostBundleBytes = ({ config }: Pick<Forge, "config">): number =>
  config.gitMaxPackBytes + besidePackBytes;

/**
 * Opens the upload of a bundle of this size: whoever may push may bring one. It takes the place of the caller's former
 * one in the repository. TooLarge past the bound; Conflict while the former one is being taken in.
 */
export async function openImport(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  sizeBytes: number,
): Promise<Import> {
  const closed = closedText(repository);
  if (closed !== undefined) throw forbidden(closed);
  if (actor.task !== undefined) throw forbidden("a job brings history by pushes");
  if (sizeBytes < 1) throw invalid("Size", "a bundle has at least one byte");
  const most = mostBundleBytes(forge);
  if (sizeBytes > most)
    throw tooLarge(`a bundle may have at most ${most} bytes: bring the history in several`);
  const place = { repositoryId: repository.id, userId: actor.user.id };
  const before = await findImport(forge, place);
  if (before?.state === "waiting") throw beingTaken();
  const now = nowSeconds(forge.clock);
  const until = now + openSeconds;
  const opened: Import = {
    ...{ ...importKey(place), ...place, uploadId: randomId(), sizeBytes, partBytes, state: "open" },
    ...{ attempts: 0, landed: 0, refusedCount: 0, refused: [] },
    ...{ createdAt: now, until, endedAt: 0, ttl: until + rememberedSeconds },
    ...{ v: (before?.v ?? 0) + 1, _v: 1 },
  };
  const { committed } = await forge.table.transact([
    put(opened, before === undefined ? absent : equals({ v: before.v })),
    check(repositoryKey(repository.id), equals({ state: "live" })),
    sweepImportLater(opened),
  ]);
  if (!committed) throw conflict("another request opened an import of yours here; try again");
  if (before !== undefined && before.state !== "done") await forgetParts(forge, before);
  return opened;
}

/** Frees what a replaced bundle has taken; what stays, and parts that still come, its sweep removes. */
async function forgetParts(forge: Forge, replaced: Import): Promise<void> {
  try {
    await removeParts(forge, replaced);
  } catch (error) {
    const { repositoryId, uploadId } = replaced;
    forge.log.warn("import:parts-stay", { repository: repositoryId, upload: uploadId, error });
  }
}

const beingTaken = () => conflict("your bundle is being taken in: wait for its end");

/** A user's import into a repository, or undefined. */
export const findImport = (
  { table }: Pick<Forge, "table">,
  place: ImportPlace,
): Promise<Import | undefined> => table.get<Import>(importKey(place));

/** The same; NotFound when there is none. */
export async function getImport(forge: Pick<Forge, "table">, place: ImportPlace): Promise<Import> {
  const found = await findImport(forge, place);
  if (found === undefined) throw notFound("you have opened no import here");
  return found;
}

/** The parts of a bundle that have not come yet; all of them are there in their announced size otherwise. */
export async function missingParts({ blobs }: Forge, bundle: Import): Promise<ImportPart[]> {
  const there = new Map<string, number>();
  for await (const { key, sizeBytes } of blobs.list(importObjects(bundle))) there.set(key, sizeBytes);
  return importParts(bundle).filter(({ objectKey, sizeBytes }) => there.get(objectKey) !== sizeBytes);
}

/** Gives an import up, and forgets it. Conflict while it is being taken in; NotFound when there is none. */
export async function abandonImport(forge: Forge, place: ImportPlace): Promise<void> {
  const found = await getImport(forge, place);
  const isAsRead = equals({ v: found.v });
  if (found.state === "waiting" || !(await forge.table.write(remove(importKey(place), isAsRead)))) {
    throw beingTaken();
  }
  await removeParts(forge, found);
}

/** Removes what came of a bundle. */
export async function removeParts({ blobs }: Forge, bundle: Import): Promise<void> {
  await blobs.remove(importParts(bundle).map(({ objectKey }) => objectKey));
}
