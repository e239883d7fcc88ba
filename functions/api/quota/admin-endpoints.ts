import { quotaAssignmentEndpoints } from "./assignment-endpoints.ts";
import { quotaGroupEndpoints } from "./group-endpoints.ts";
import { quotaRuleEndpoints } from "./rule-endpoints.ts";

/** What administrators say of the quota: rules, groups, and who is in them. */
export const quotaAdministrationEndpoints = [
  ...quotaRuleEndpoints,
  ...quotaGroupEndpoints,
  ...quotaAssignmentEndpoints,
];
