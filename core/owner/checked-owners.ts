import type { KeptItems } from "../lifecycle/check/checks.ts";
import type { Organization } from "../organization/organization.table.ts";
import type { User } from "../user/user.table.ts";

/** The kind of the item of a user or an organization. */
export const ownerKind = "O#<owner> / #";

/** Users and organizations by id, for checks that read their kind. */
export const ownersIn = (facts: KeptItems): Map<number, User | Organization> =>
  new Map(facts.all<User | Organization>(ownerKind).map((owner) => [owner.id, owner]));
