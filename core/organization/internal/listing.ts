import { goneWrite, tailWrite } from "../../directory/directory.ts";
import { userDirectory } from "../../directory/users.ts";
import type { Write } from "../../table/write.ts";
import { type Organization, organizationEntry } from "../organization.table.ts";

/** The organization's entry in the list index of users, for the transaction that creates or changes it to this. */
export const organizationTail = (organization: Organization): Write =>
  tailWrite(userDirectory, organization.id, organizationEntry(organization), organization.v);

/** Marks the organization as gone in the list index, for the transaction that removes it. */
export const goneOrganizationTail = (organization: Organization): Write =>
  goneWrite(userDirectory, organization.id, organizationEntry(organization), organization.v + 1);
