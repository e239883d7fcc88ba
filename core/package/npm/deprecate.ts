import { attempts } from "../../concurrency/attempts.ts";
import { badRequest, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { equals } from "../../table/condition.ts";
import { keyText, update, type Write } from "../../table/write.ts";
import { beingChanged } from "../link.ts";
import { type Package, type PackageVersion, packageKey, versionKey } from "../package.table.ts";
import { getPackage } from "../package.ts";

const longestMessage = 1_024;
const notThere = () => badRequest("a version that is not there has to come with its file");
/** Those of one transaction. */
const versionsAtOnce = 90;

/**
 * Sets why versions should not be used any more, by version; an empty text takes it back. 400 for a version that is not
 * there, 422 for a message of more than 1,024 characters.
 */
export async function deprecateVersions(
  forge: Forge,
  named: Package,
  messages: ReadonlyMap<string, string>,
): Promise<void> {
  const isTooLong = [...messages.values()].some((message) => message.length > longestMessage);
  if (isTooLong) throw unprocessable(`a message has at most ${longestMessage} characters`);
  const all = [...messages];
  for (let at = 0; at < all.length; at += versionsAtOnce) {
    await deprecateSome(forge, named, new Map(all.slice(at, at + versionsAtOnce)));
  }
}

async function deprecateSome(
  forge: Forge,
  named: Package,
  messages: ReadonlyMap<string, string>,
): Promise<void> {
  for await (const _attempt of attempts()) {
    const { id, ownerId, type, name } = await getPackage(forge, named);
    const keys = [...messages].map(([version, message]) => [versionKey(id, version), message] as const);
    const found = await forge.table.getAll<PackageVersion>(keys.map(([key]) => key));
    const writes = keys.flatMap(([key, message]) => {
      const version = found.get(keyText(key));
      if (version === undefined) throw notThere();
      return (version.deprecated ?? "") === message ? [] : [deprecationWrite(version, message)];
    });
    if (writes.length === 0) return;
    const told = update(packageKey(ownerId, type, name), { add: { v: 1 } }, equals({ id }));
    if ((await forge.table.transact([told, ...writes])).committed) return;
  }
  throw beingChanged();
}

function deprecationWrite({ packageId, number, version }: PackageVersion, message: string): Write {
  const change = message === "" ? { unset: ["deprecated"] } : { set: { deprecated: message } };
  return update(versionKey(packageId, version), change, equals({ number }));
}
