import { deltaWrite, tombstoneWrite } from "../../list-index/list-index.ts";
import { ownerIndex } from "../../owner/owner.index.ts";
import type { Write } from "../../table/write.ts";
import { type Organization, organizationEntry } from "../organization.table.ts";

/** The organization's entry in the list index of users, for the transaction that creates or changes it to this. */
export const organizationDelta = (organization: Organization): Write =>
  deltaWrite(ownerIndex, organization.id, organizationEntry(organization), organization.v);

/** Marks the organization as gone in the list index, for the transaction that removes it. */
export const organizationTombstone = (organization: Organization): Write =>
  tombstoneWrite(ownerIndex, organization.id, organizationEntry(organization), organization.v + 1);
