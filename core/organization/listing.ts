import { goneWrite, tailWrite } from "../directory/directory.ts";
import type { UserEntry } from "../directory/user-entry.ts";
import { userDirectory } from "../directory/users.ts";
import type { Write } from "../table.ts";
import type { Organization } from "./organization.table.ts";

const entryOf = ({ name, fullName, visibility, createdAt, updatedAt }: Organization): UserEntry => ({
  ...{ name, fullName, visibility, createdAt, updatedAt },
  isOrganization: true,
  isActive: true,
  isAdmin: false,
  isRestricted: false,
  isLoginProhibited: false,
  isBot: false,
  loginSourceId: 0,
  loginName: "",
});

/** The organization's entry in the directory of users, for the transaction that creates or changes it to this. */
export const organizationTail = (organization: Organization): Write =>
  tailWrite(userDirectory, organization.id, entryOf(organization), organization.v);

/** Says in the directory that the organization is gone, for the transaction that removes it. */
export const goneOrganizationTail = (organization: Organization): Write =>
  goneWrite(userDirectory, organization.id, entryOf(organization), organization.v + 1);
