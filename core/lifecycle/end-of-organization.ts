import type { Forge } from "../forge.ts";
import { inTurn, type PartStep } from "../jobs/passes.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { type EndedOrganization, organizationStages, partsInOrder } from "./lifecycle.ts";
import { lifecycles } from "./registry.ts";
import { removePage } from "./remove-page.ts";

const forgetRows = (forge: Forge, { organizationId }: EndedOrganization): Promise<PartStep> =>
  removePage(forge, { pk: ownerKey(organizationId).pk });

const declared = (...stages: readonly (typeof organizationStages)[number][]) =>
  partsInOrder(lifecycles, ({ ends }) => ends?.organization, stages);

/** Removes the rest of a deleted organization, a query's worth in each step. */
export const forgetOrganization = inTurn<EndedOrganization>([
  ...declared(...organizationStages.slice(0, -1)),
  { name: "rows", step: forgetRows },
  ...declared("names"),
]);
