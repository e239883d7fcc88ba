import type { Organization } from "../organization/organization.table.ts";
import type { User } from "../user/user.table.ts";

/** The kinds of repository owners. */
export type Owner = User | Organization;
