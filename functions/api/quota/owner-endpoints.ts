import { organizationQuotaEndpoints } from "./organization-endpoints.ts";
import { userQuotaEndpoints } from "./user-endpoints.ts";

/** What owners are told of their quota. */
export const ownerQuotaEndpoints = [...userQuotaEndpoints, ...organizationQuotaEndpoints];
