import { nowSeconds } from "../clock.ts";
import type { ForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { absent, all, any, below, type Condition, equals } from "../table/condition.ts";
import { ownerNameTaken } from "./name.ts";
import { type NameGuard, nameGuardKey, ownerNameIsFree } from "./owner.table.ts";

/** How somebody may take a name: the condition on its guard, and the meaning of its failure. */
export interface NameClaim {
  readonly isFree: Condition;
  readonly refusal: () => Promise<ForgeError>;
}

const daySeconds = 86_400;

/** For administrators, who may give former names away (D-FORMER). */
export const claimByAdministrator = (name: string): NameClaim => ({
  isFree: ownerNameIsFree,
  refusal: async () => ownerNameTaken(name),
});

/** For others: for a while a former name stays with its former owner, given here (D-FORMER). */
export function claimFor(forge: Forge, name: string, ...ownerIds: readonly number[]): NameClaim {
  const days = forge.config.renamedNameProtectionDays;
  const firstKept = nowSeconds(forge.clock) - days * daySeconds + 1;
  const isLetGo = any(below({ formerSince: firstKept }), ...ownerIds.map((ownerId) => equals({ ownerId })));
  return {
    isFree: any(absent, all(equals({ kind: "redirect" }), isLetGo)),
    refusal: async () => {
      const guard = await forge.table.get<NameGuard>(nameGuardKey(name));
      return ownerNameTaken(name, guard?.kind === "redirect" ? days : 0);
    },
  };
}
