import { attempts } from "../concurrency/attempts.ts";
import { unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { equals } from "../table/condition.ts";
import { check, update } from "../table/write.ts";
import { beingChanged } from "./link.ts";
import { type Package, packageKey, versionKey } from "./package.table.ts";
import { findPackageVersion, getPackage, noSuchPackage } from "./package.ts";

/** They lie in the package's item. */
const mostTags = 200;

/** 422 for more tags than a package may have. */
export function requireTagRoom(tags: Package["tags"]): void {
  if (Object.keys(tags).length > mostTags) throw unprocessable(`a package has at most ${mostTags} tags`);
}

/** Lets a tag lead to a version. NotFound when either is gone, 422 for too many tags. */
export async function setPackageTag(
  forge: Forge,
  named: Package,
  tag: string,
  version: string,
): Promise<void> {
  for await (const _attempt of attempts()) {
    const current = await getPackage(forge, named);
    const found = await findPackageVersion(forge, current.id, version);
    if (found === undefined) throw noSuchPackage(`${current.name} ${version}`);
    if (current.tags[tag] === found.version && Object.hasOwn(current.tags, tag)) return;
    const tags = { ...current.tags, [tag]: found.version };
    requireTagRoom(tags);
    const { number } = found;
    if (await writeTags(forge, current, tags, [check(versionKey(current.id, version), equals({ number }))])) {
      return;
    }
  }
  throw beingChanged();
}

/** Removes a tag, if there is one. NotFound when the package is gone. */
export async function removePackageTag(forge: Forge, named: Package, tag: string): Promise<void> {
  for await (const _attempt of attempts()) {
    const current = await getPackage(forge, named);
    if (!Object.hasOwn(current.tags, tag)) return;
    const { [tag]: _, ...tags } = current.tags;
    if (await writeTags(forge, current, tags, [])) return;
  }
  throw beingChanged();
}

async function writeTags(
  { table }: Forge,
  { id, ownerId, type, name, v }: Package,
  tags: Package["tags"],
  checks: readonly ReturnType<typeof check>[],
): Promise<boolean> {
  const key = packageKey(ownerId, type, name);
  const { committed } = await table.transact([
    update(key, { set: { tags }, add: { v: 1 } }, equals({ id, v })),
    ...checks,
  ]);
  return committed;
}
