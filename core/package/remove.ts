import type { Actor } from "../actor.ts";
import { attempts } from "../concurrency/attempts.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { noteDeltaWrite } from "../list-index/compaction-requests.ts";
import { type UsageHolder, usageWrites } from "../quota/usage.ts";
import { equals, exists } from "../table/condition.ts";
import { remove, update, type Write } from "../table/write.ts";
import { contentLeavingWrites } from "./contents.ts";
import { beingChanged, endLink, packageHolder } from "./link.ts";
import { packageIndex } from "./package.index.ts";
import {
  fileKey,
  type Package,
  type PackageFile,
  type PackageVersion,
  packageKey,
  packageLinkKey,
  versionKey,
} from "./package.table.ts";
import { getPackage, getPackageFile, getPackageVersion } from "./package.ts";
import { listedWrites, tagsWithout, VersionEvent, versionLeavingWrites } from "./version-writes.ts";

/** Removes a version with its files; with the last one goes the package. NotFound when it is gone. */
export async function removePackageVersion(
  forge: Forge,
  actor: Actor,
  named: Package,
  versionName: string,
): Promise<void> {
  const event = new VersionEvent(forge, "deleted", actor.user.id);
  for await (const _attempt of attempts()) {
    const current = await getPackage(forge, named);
    const version = await getPackageVersion(forge, current, versionName);
    if (await removeAsRead(forge, event, current, version)) return;
  }
  throw beingChanged();
}

/** One attempt to remove a version; false when it or its package was changed meanwhile. */
async function removeAsRead(
  forge: Forge,
  event: VersionEvent,
  current: Package,
  version: PackageVersion,
): Promise<boolean> {
  const holder = await linkedHolder(forge, current);
  if (holder === undefined) return false;
  const entry = event.of(version, current.repositoryId);
  const { committed } = await forge.table.transact([
    ...versionLeavingWrites(forge, version, event),
    ...packageWithout(current, version),
    ...usageWrites([{ ...holder, name: "packages", bytes: -version.bytes }]),
    entry.write,
  ]);
  if (!committed) return false;
  await send(forge, [entry]);
  await noteDeltaWrite(forge, packageIndex(version.ownerId));
  return true;
}

/** The holder that counts a package. Undefined: its repository was deleted, and the package is unlinked now. */
async function linkedHolder(forge: Forge, current: Package): Promise<UsageHolder | undefined> {
  const holder = await packageHolder(forge, current);
  if (holder !== "gone") return holder;
  await endLink(forge, current, current.repositoryId ?? 0);
  return undefined;
}

/** The writes for a package that has one version less: without the last one it is gone. */
function packageWithout(current: Package, { version, bytes }: PackageVersion): Write[] {
  const { id, ownerId, type, name, versions, v, repositoryId } = current;
  const key = packageKey(ownerId, type, name);
  const isAsRead = equals({ id, v });
  if (versions > 1) {
    const tags = tagsWithout(current, version);
    return [update(key, { set: { tags }, add: { versions: -1, bytes: -bytes, v: 1 } }, isAsRead)];
  }
  const link = repositoryId === undefined ? [] : [remove(packageLinkKey(repositoryId, id))];
  return [remove(key, isAsRead), ...link];
}

/** Removes a file of a version; with the last one goes the version. NotFound when it is gone. */
export async function removePackageFile(
  forge: Forge,
  actor: Actor,
  named: Package,
  place: { readonly version: string; readonly file: string },
): Promise<void> {
  const event = new VersionEvent(forge, "deleted", actor.user.id);
  for await (const _attempt of attempts()) {
    const current = await getPackage(forge, named);
    const version = await getPackageVersion(forge, current, place.version);
    const file = await getPackageFile(forge, version, place.file);
    const isDone =
      version.files === 1
        ? await removeAsRead(forge, event, current, version)
        : await removeFileAsRead(forge, current, version, file);
    if (isDone) return;
  }
  throw beingChanged();
}

async function removeFileAsRead(
  forge: Forge,
  current: Package,
  version: PackageVersion,
  file: PackageFile,
): Promise<boolean> {
  const holder = await linkedHolder(forge, current);
  if (holder === undefined) return false;
  const { id, ownerId, type, name, repositoryId } = current;
  const { packageId, number, v } = version;
  const bytes = -file.sizeBytes;
  const after = { ...version, files: version.files - 1, bytes: version.bytes + bytes, v: v + 1 };
  const set = { files: after.files, bytes: after.bytes, v: after.v };
  const { committed } = await forge.table.transact([
    remove(fileKey(packageId, number, file.name), exists),
    update(versionKey(packageId, version.version), { set }, equals({ number, v })),
    update(packageKey(ownerId, type, name), { add: { bytes, v: 1 } }, equals({ id, repositoryId })),
    ...listedWrites(after),
    ...usageWrites([{ ...holder, name: "packages", bytes }]),
    ...(await contentLeavingWrites(forge, ownerId, file)),
  ]);
  if (committed) await noteDeltaWrite(forge, packageIndex(ownerId));
  return committed;
}
