import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { equals } from "../table/condition.ts";
import { remove } from "../table/write.ts";
import { ownerChecks } from "./owner.check.ts";
import { nameGuardKey } from "./owner.table.ts";

/** Names that led to a deleted owner; one that somebody else has taken stays theirs. */
async function endNames(
  { table }: Forge,
  ownerId: number,
  formerNames: readonly string[],
): Promise<PartStep> {
  const isOurs = equals({ kind: "redirect", ownerId });
  for (const name of formerNames) await table.write(remove(nameGuardKey(name), isOurs));
  return { hasFound: false, hasMore: false };
}

/** Users and organizations alike: what they are called. */
export const ownerLifecycle: Lifecycle = {
  noun: "owner",
  items: [
    { at: "NAME#<name> / #" },
    { at: "O#<owner> / #", counter: "owner" },
    { at: "EMAIL#<address> / #", goes: "with the transaction that hides the user" },
    { at: "SYS / ADMINS", goes: "never: the transaction that hides a user takes them out of it" },
  ],
  objects: ["avatars/<sha256>"],
  ends: {
    user: {
      names: {
        stage: "names",
        step: (forge, { userId, formerNames }) => endNames(forge, userId, formerNames),
      },
    },
    organization: {
      names: {
        stage: "names",
        step: (forge, { organizationId, formerNames }) => endNames(forge, organizationId, formerNames),
      },
    },
  },
  checks: ownerChecks,
};
