import { enabledUnits } from "#core/access/enabled-units";
import { accessMode } from "#core/access/modes";
import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import { findEventDetail } from "#core/hook/event-detail";
import type { PackageEvent } from "#core/hook/events";
import type { Owner } from "#core/owner/owner";
import { findPackageVersion } from "#core/package/package";
import { type ListedVersion, listedVersionKey, type PackageVersion } from "#core/package/package.table";
import { repositoryDetailsOf } from "#core/repository/details";
import type { Repository } from "#core/repository/repository.table";
import { findUserById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import { presentOwner } from "../../api/organization/present.ts";
import { versionJson } from "../../api/package/show.ts";
import { presentRepository } from "../../api/repository/present.ts";
import { presentUser } from "../../api/user/present.ts";
import type { View } from "../../http/answer/view.ts";

/** What a version belongs to; it may belong to no repository. */
export interface PackagePlace {
  readonly owner: Owner;
  readonly repository: Repository | undefined;
}

/** The notice about a version for hooks, as it is now or was when it was removed; none when it is gone. */
export async function packageNotice(
  forge: Forge,
  event: PackageEvent & { readonly eventId: string },
  { owner, repository }: PackagePlace,
): Promise<Notice[]> {
  const version = await versionOf(forge, event);
  if (version === undefined) return [];
  // An anonymous reader is shown only what every receiver may see.
  const view: View = { config: forge.config, actor: undefined };
  const [creator, actor] = await Promise.all([
    findUserById(forge, version.creatorId),
    findUserById(forge, event.actorId),
  ]);
  const shown = repository === undefined ? null : await showRepository(forge, view, owner, repository);
  const organization = presentOwner(view, owner);
  const payload = {
    action: event.action,
    repository: shown,
    package: {
      ...versionJson(view, owner, version),
      owner: organization,
      repository: shown,
      creator: presentUser(view, creator ?? ghostUser),
    },
    organization,
    sender: presentUser(view, actor ?? ghostUser),
  };
  return [{ eventType: "package", what: event.action, payloadFor: () => payload }];
}

async function versionOf(
  forge: Forge,
  { action, eventId, ownerId, number }: PackageEvent & { readonly eventId: string },
): Promise<PackageVersion | undefined> {
  if (action === "deleted") {
    return (await findEventDetail(forge, eventId)).removed as PackageVersion | undefined;
  }
  const row = await forge.table.get<ListedVersion>(listedVersionKey(ownerId, number));
  return row === undefined ? undefined : findPackageVersion(forge, row.packageId, row.version);
}

/** As its owner sees it. */
async function showRepository(forge: Forge, view: View, owner: Owner, repository: Repository) {
  const rights = { base: accessMode.owner, enabledUnits: enabledUnits(forge.config, repository) };
  return presentRepository(view, await repositoryDetailsOf(forge, { repository, owner, rights }));
}
