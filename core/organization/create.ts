import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { conflict, type ForgeError, forbidden, invalid, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { ownerStays, requireStaying } from "../owner/deletion.ts";
import { claimByAdministrator, claimFor, type NameClaim } from "../owner/former-names.ts";
import { ownerNameProblem } from "../owner/name.ts";
import { type NameGuard, nameGuardKey, ownerKey, type Visibility } from "../owner/owner.table.ts";
import { absent } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { ownersTeamWrites } from "../team/create.ts";
import { membershipMirrorsOf } from "../team/team.table.ts";
import { organizationDelta } from "./internal/listing.ts";
import type { Organization } from "./organization.table.ts";

/** The description of an organization. */
export interface OrganizationProfile {
  readonly fullName?: string;
  readonly email?: string;
  readonly description?: string;
  readonly website?: string;
  readonly location?: string;
  readonly visibility?: Visibility;
  readonly letsAdminsChangeTeams?: boolean;
}

/** The parts of a new organization. */
export interface NewOrganization extends OrganizationProfile {
  readonly name: string;
}

/** Lists of a user's organizations read all of them. */
const mostMemberships = 500;

/** Forbidden for a user whom an administrator has barred from creating organizations. */
export function requireOrganizationCreator({ mayNotCreateOrganizations, isAdmin }: Actor["user"]): void {
  if (mayNotCreateOrganizations !== true || isAdmin) return;
  throw forbidden("your account may not create organizations: ask an administrator");
}

/**
 * Like `createOrganization`, for a caller who creates their own: 403 when an administrator barred them, 422 for a
 * member of 500 organizations.
 */
export async function createOwnOrganization(
  forge: Forge,
  { user }: Actor,
  given: NewOrganization,
): Promise<Organization> {
  requireOrganizationCreator(user);
  const own = await forge.table.queryAll({ ...membershipMirrorsOf(user.id), limit: mostMemberships });
  if (own.length >= mostMemberships) {
    throw unprocessable(
      `you are in ${mostMemberships} organizations: leave or delete one before you create another`,
    );
  }
  const claim = user.isAdmin ? claimByAdministrator(given.name) : claimFor(forge, given.name, user.id);
  return createOrganization(forge, user, given, claim);
}

/**
 * Creates an organization with its team `Owners`, whose first member is `owner`. 422 when a field is not valid or the
 * name can't be claimed; without a `claim` as administrators may.
 */
export async function createOrganization(
  forge: Forge,
  owner: Actor["user"],
  given: NewOrganization,
  { isFree, refusal }: NameClaim = claimByAdministrator(given.name),
): Promise<Organization> {
  const problem = organizationNameProblem(forge, given.name, "UserName") ?? profileProblem(given);
  if (problem !== undefined) throw problem;
  const id = await nextId(forge.table, "owner");
  const organization = newOrganization(forge, id, given);
  const teamId = await nextId(forge.table, "team");
  const guard: NameGuard = { ...nameGuardKey(given.name), ownerId: id, kind: "organization", _v: 1 };
  const outcome = await forge.table.transact([
    put(guard, isFree),
    put(organization, absent),
    ...ownersTeamWrites(forge, id, teamId, owner.id),
    organizationDelta(organization),
    ownerStays(owner.id),
  ]);
  if (outcome.committed) return organization;
  if (outcome.failed.includes(0)) throw await refusal();
  await requireStaying(forge, owner);
  throw conflict("the owner is being changed by others; try again");
}

function newOrganization(forge: Forge, id: number, given: NewOrganization): Organization {
  const now = nowSeconds(forge.clock);
  return {
    ...ownerKey(id),
    kind: "organization",
    id,
    name: given.name,
    fullName: given.fullName ?? "",
    email: given.email ?? "",
    description: given.description ?? "",
    website: given.website ?? "",
    location: given.location ?? "",
    visibility: given.visibility ?? "public",
    letsAdminsChangeTeams: given.letsAdminsChangeTeams ?? false,
    repositoryLimit: -1,
    createdAt: now,
    updatedAt: now,
    v: 1,
    _v: 1,
  };
}

/** Why an organization may not have this name (semantics §30), or undefined when it may. */
export const organizationNameProblem = (
  { config }: Forge,
  name: string,
  field: string,
): ForgeError | undefined => ownerNameProblem(name, field, { isDotAllowed: config.allowDotsInUsernames });

const longest = { fullName: 100, email: 255, description: 255, website: 255, location: 50 } as const;
const fieldNames = {
  fullName: "FullName",
  email: "Email",
  description: "Description",
  website: "Website",
  location: "Location",
} as const;

/** Why an organization may not have this description (semantics §1.5), or undefined when it may. */
export function profileProblem(profile: OrganizationProfile): ForgeError | undefined {
  const fields = Object.keys(longest) as (keyof typeof longest)[];
  const tooLong = fields.find((field) => (profile[field] ?? "").length > longest[field]);
  if (tooLong !== undefined) return invalid(fieldNames[tooLong], `MaxSize ${longest[tooLong]}`);
  const { website = "" } = profile;
  if (website !== "" && !(URL.canParse(website) && /^https?:$/.test(new URL(website).protocol))) {
    return invalid("Website", "Url: expected a URL that starts with http:// or https://");
  }
  return undefined;
}
