import type { Forge } from "../forge.ts";
import { clearingUp, type PartCursor, type PartStep, type Pass } from "../jobs/passes.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { TableKey } from "../table/write.ts";
import { clearSome } from "./end-of-issue.ts";
import { type EndedUser, partsInOrder, userStages } from "./lifecycle.ts";
import { lifecycles } from "./registry.ts";
import { removePage } from "./remove-page.ts";

/** A user who was deleted, and when, in milliseconds. */
export type ForgottenUser = Omit<EndedUser, "isLate" | "clearIssue"> & { readonly hiddenAt: number };

const alone = lifecycles.flatMap(({ ends }) =>
  Object.values(ends?.user ?? {}).flatMap((part) => part.alone ?? []),
);

/** The user's own partition, except what other parts remove. */
function forgetRows(
  forge: Forge,
  { userId }: ForgottenUser & Pass,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  const isKept = ({ sk }: TableKey) => alone.some((prefix) => sk.startsWith(prefix));
  return removePage(forge, { pk: userPartition(userId) }, isKept, inner);
}

const declared = (...stages: readonly (typeof userStages)[number][]) =>
  partsInOrder(lifecycles, ({ ends }) => ends?.user, stages).map(({ name, step }) => ({
    name,
    step: (forge: Forge, user: ForgottenUser & Pass, inner: PartCursor | undefined) =>
      step(forge, { ...user, clearIssue: clearSome }, inner),
  }));

/** Removes what is left of a deleted user, who is hidden from everybody already. */
export const forgetUser = clearingUp<ForgottenUser>({
  parts: [...declared(...userStages.slice(0, -1)), { name: "rows", step: forgetRows }, ...declared("names")],
  since: (args) => args.hiddenAt,
});
