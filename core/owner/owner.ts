import type { Organization } from "../organization/organization.table.ts";
import type { User } from "../user/user.table.ts";

/** Who may own repositories. */
export type Owner = User | Organization;
