import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import type { Organization } from "../organization/organization.table.ts";
import { type PlacedRepository, repositoryKind } from "../repository/checked-repository.ts";
import { absent, any } from "../table/condition.ts";
import { type Item, keyText, remove, update, type Write } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { avatarPrefix } from "./avatar.ts";
import { ownerKind, ownersIn } from "./checked-owners.ts";
import { administratorsKey, type NameGuard, nameGuardKey, ownerKey, ownerNameIsFree } from "./owner.table.ts";
import { missing, ownerCheck } from "./owner-findings.ts";

const nameKind = "NAME#<name> / #";
const administratorsKind = "SYS / ADMINS";

/** Invariant 1: each owner has their name, and each name an owner. */
function checkNames(facts: TableFacts): Finding[] {
  const owners = ownersIn(facts);
  const nameGuards = facts.all<NameGuard>(nameKind);
  const byKey = new Map(nameGuards.map((guard) => [keyText(guard), guard]));
  const findings = [...owners.values()].flatMap((owner): Finding[] => {
    const key = nameGuardKey(owner.name);
    const guard = byKey.get(keyText(key));
    if (guard?.ownerId === owner.id && guard.kind !== "redirect") return [];
    const expected: NameGuard = { ...key, ownerId: owner.id, kind: owner.kind ?? "user", _v: 1 };
    if (guard === undefined || guard.kind === "redirect") {
      const when = guard === undefined ? ownerNameIsFree : asRead(guard);
      const hasName = ownerCheck(owner.id, owner, "name");
      return [missing(1, expected, `owner ${owner.id} has this name`, hasName, when)];
    }
    const problem = `leads to owner ${guard.ownerId}; owner ${owner.id} has this name`;
    return [{ invariant: 1, key: shownKey(key), problem, remedy: "rename one of the two" }];
  });
  const isOf = (guard: NameGuard, owner: User | Organization | undefined) =>
    owner !== undefined &&
    (guard.kind === "redirect" || keyText(nameGuardKey(owner.name)) === keyText(guard));
  const astray = nameGuards.filter((guard) => !isOf(guard, owners.get(guard.ownerId)));
  return findings.concat(
    astray.map((guard) => ({
      invariant: 1,
      key: shownKey(guard),
      problem: `leads to owner ${guard.ownerId}, who is not there or has another name`,
      remedy: "removes the guard, so that the name may be taken again",
      repair: mending(
        [ownerCheck(guard.ownerId, owners.get(guard.ownerId), "name")],
        remove(guard, asRead(guard)),
      ),
    })),
  );
}

const isAsFlagged = (owner: User | Organization | undefined, id: number): Write =>
  owner?.kind === "user" ? ownerCheck(id, owner, "isAdmin") : ownerCheck(id, owner, "kind");

/** Invariant 8: the set of administrators is that of the users with the flag, and is not empty. */
function checkAdministrators(facts: TableFacts): Finding[] {
  const owners = ownersIn(facts);
  const administrators = new Set(
    facts
      .all(administratorsKind)
      .flatMap(({ ids }: Item) => (ids instanceof Set ? [...ids].map(Number) : [])),
  );
  const flagged = [...owners.values()].filter((owner) => owner.kind !== "organization" && owner.isAdmin);
  const ids = new Set(flagged.map(({ id }) => id));
  const key = shownKey(administratorsKey);
  const differing: Finding[] = [
    ...[...ids]
      .filter((id) => !administrators.has(id))
      .map((id) => ({
        id,
        problem: "lacks",
        change: { add: { ids: new Set([id]) } },
        when: any(absent, { lacks: { ids: id } }),
      })),
    ...[...administrators]
      .filter((id) => !ids.has(id))
      .map((id) => ({
        id,
        problem: "holds",
        change: { take: { ids: new Set([id]) } },
        when: { contains: { ids: id } },
      })),
  ].map(({ id, problem, change, when }) => ({
    invariant: 8,
    key,
    problem: `${problem} user ${id}, which contradicts their account (${shownKey(ownerKey(id))})`,
    remedy: "sets it as the account says",
    repair: mending([isAsFlagged(owners.get(id), id)], update(administratorsKey, change, when)),
  }));
  if (ids.size > 0) return differing;
  const remedy = "npm run admin -- user create --admin …";
  return [...differing, { invariant: 8, key, problem: "nobody is an administrator", remedy }];
}

/** Invariant 21: the picture of each owner and repository lies in the bucket. */
async function checkPictures({ blobs }: Forge, facts: TableFacts): Promise<Finding[]> {
  const pictures = [...ownersIn(facts).values(), ...facts.all<PlacedRepository>(repositoryKind)].flatMap(
    ({ pk, sk, avatar = "" }) => (avatar === "" ? [] : { of: { pk, sk }, hash: avatar }),
  );
  if (pictures.length === 0) return [];
  const found = new Set<string>();
  for await (const { key } of blobs.list(avatarPrefix)) found.add(key.slice(avatarPrefix.length));
  return pictures
    .filter(({ hash }) => !found.has(hash))
    .map(({ of, hash }) => ({
      invariant: 21,
      key: `${avatarPrefix}${hash}`,
      problem: `is missing; it is the picture of ${shownKey(of)}`,
      remedy: "set another picture, or none",
    }));
}

export const ownerChecks: Checks = {
  reads: [ownerKind, nameKind, administratorsKind, repositoryKind],
  table: [(_, facts) => checkNames(facts), (_, facts) => checkAdministrators(facts), checkPictures],
};
