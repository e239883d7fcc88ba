import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { Organization } from "../organization/organization.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, type Item, put, type Write } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { ownerKey } from "./owner.table.ts";

/** A finding about a missing item that can be written again, as long as the items it derives from hold. */
export const missing = (
  invariant: number,
  item: Item,
  of: string,
  derivedFrom: Write,
  when = absent,
): Finding => ({
  invariant,
  key: shownKey(item),
  problem: `is missing; ${of}`,
  remedy: "writes it",
  repair: mending([derivedFrom], put(item, when)),
});

/** The members of an owner's item that must still hold; for a missing item, that it is still missing. */
export const ownerCheck = <Owner extends User | Organization>(
  id: number,
  owner: Owner | undefined,
  ...attributes: readonly (string & keyof Owner)[]
): Write =>
  check(
    ownerKey(id),
    owner === undefined ? absent : equals(Object.fromEntries(attributes.map((name) => [name, owner[name]]))),
  );
