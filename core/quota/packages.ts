import { isHiddenFromToken } from "../access/public-only.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import { listPackageVersions, type VersionListing } from "../package/list.ts";
import type { PageRequest } from "../page.ts";

/** A page of the versions of an owner's packages, the largest first, with the number of all. */
export async function listUsedPackages(
  forge: Forge,
  actor: Actor,
  owner: Owner,
  page: PageRequest,
): Promise<VersionListing> {
  if (isHiddenFromToken(actor, { owner })) return { items: [], total: 0 };
  return listPackageVersions(forge, owner.id, { sort: "largest", ...page });
}
