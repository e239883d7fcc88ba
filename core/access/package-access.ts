import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { keyText } from "../table/write.ts";
import { isKnown, nobody } from "./acquaintance.ts";
import { teamKeys, teamsFrom } from "./grants.ts";
import { type AccessMode, accessMode, unitNames } from "./modes.ts";
import type { TeamRights } from "./team-rights.ts";
import { maySeeOrganization, maySeeUser } from "./visibility.ts";

/** An owner, and what the caller may do with their packages (semantics §59.1). */
export interface PackageAccess {
  readonly owner: Owner;
  readonly mode: AccessMode;
}

const packagesUnit = unitNames.indexOf("packages");

/**
 * The owner of this name or former name, in any case; undefined when the caller may know of none (D-HIDDEN). Rights
 * hang on the owner alone, whatever repository a package belongs to.
 */
export async function findPackageAccess(
  forge: Forge,
  actor: Actor | undefined,
  name: string,
): Promise<PackageAccess | undefined> {
  const guard = await forge.table.get<NameGuard>(nameGuardKey(name));
  const id = guard?.ownerId ?? nobody;
  const teamItems = guard?.kind === "user" ? [] : teamKeys(actor, id);
  const found = await forge.table.getAll<Owner>([ownerKey(id), ...teamItems]);
  const owner = found.get(keyText(ownerKey(id)));
  if (owner?.kind === "organization") {
    const teams = teamsFrom(actor, id, found);
    if (!maySeeOrganization(actor, owner, teams.length > 0)) return undefined;
    return { owner, mode: modeInOrganization(actor, teams) };
  }
  const user = owner?.kind === "user" ? owner : undefined;
  if (user === undefined || !(await isKnown(forge, actor, user))) return undefined;
  return { owner: user, mode: modeAtUser(actor, user) };
}

/** The largest mode of the caller's teams, as a whole or on packages. */
function modeInOrganization(actor: Actor | undefined, teams: readonly TeamRights[]): AccessMode {
  if (actor?.user.isAdmin === true) return accessMode.owner;
  const modes = teams.flatMap(({ mode, units }) => [mode, units[packagesUnit] ?? accessMode.none]);
  return Math.max(accessMode.read, ...modes) as AccessMode;
}

/** Somebody who knows a private user from an organization may not look into their packages for that. */
function modeAtUser(actor: Actor | undefined, user: Extract<Owner, { kind: "user" }>): AccessMode {
  if (actor !== undefined && (actor.user.isAdmin || actor.user.id === user.id)) return accessMode.owner;
  return maySeeUser(actor, user) ? accessMode.read : accessMode.none;
}
