import { nowSeconds } from "../clock.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey, nameIsFree, ownerKey } from "../owner/owner.table.ts";
import { equals, put, update, type Write } from "../table.ts";
import { nameProblem, nameTaken, type Profile, profileProblem } from "./create.ts";
import { organizationTail } from "./listing.ts";
import type { Organization } from "./organization.table.ts";

const editTries = 10;
/** Each of them keeps a name from nobody, yet all are written with each change of the organization. */
const mostFormerNames = 100;

/**
 * Changes what an organization says of itself, and answers it as it is then; absent members stay as they are. 422 when
 * a field is not valid; NotFound when it is gone meanwhile.
 */
export async function edit(
  forge: Forge,
  organization: Organization,
  changes: Profile,
): Promise<Organization> {
  const problem = profileProblem(changes);
  if (problem !== undefined) throw problem;
  return change(forge, organization, () => ({ changes: { ...changes } }));
}

/** Sets the picture (by its SHA-256 in hex), or takes it away. */
export const setAvatar = (
  forge: Forge,
  organization: Organization,
  avatar: string | undefined,
): Promise<Organization> =>
  change(forge, organization, () => ({
    changes: avatar === undefined ? {} : { avatar },
    isWithout: "avatar",
  }));

/**
 * Renames an organization. The former name leads to it until somebody takes it (semantics §1.3). 422 when the name is
 * not valid or taken.
 */
export async function rename(forge: Forge, organization: Organization, name: string): Promise<Organization> {
  const problem = nameProblem(forge, name, "NewName");
  if (problem !== undefined) throw problem;
  return change(forge, organization, (current) => {
    const former = current.name.toLowerCase();
    const next = name.toLowerCase();
    if (former === next) return { changes: { name } };
    const others = (current.formerNames ?? []).filter((one) => one !== next && one !== former);
    if (others.length >= mostFormerNames) {
      throw unprocessable(`an organization may be renamed at most ${mostFormerNames} times`);
    }
    const guard: NameGuard = { ...nameGuardKey(name), ownerId: current.id, kind: "organization", _v: 1 };
    const redirect: NameGuard = { ...nameGuardKey(former), ownerId: current.id, kind: "redirect", _v: 1 };
    return {
      changes: { name, formerNames: [...others, former] },
      writes: [put(guard, nameIsFree), put(redirect, equals({ ownerId: current.id }))],
      refusals: [nameTaken(name)],
    };
  });
}

interface Change {
  readonly changes: Partial<Organization>;
  readonly isWithout?: "avatar";
  readonly writes?: readonly Write[];
  /** What it means that the condition of the write at this place doesn't hold. */
  readonly refusals?: readonly Error[];
}

async function change(
  forge: Forge,
  organization: Organization,
  changeOf: (current: Organization) => Change,
): Promise<Organization> {
  let current = organization;
  for (let tries = 0; tries < editTries; tries += 1) {
    const { changes, isWithout, writes = [], refusals = [] } = changeOf(current);
    const later = { updatedAt: nowSeconds(forge.clock), v: current.v + 1 };
    const isRemoved = isWithout !== undefined && changes[isWithout] === undefined;
    const edited = { ...current, ...changes, ...later };
    if (isRemoved) delete edited[isWithout];
    const set = { ...changes, ...later };
    const item = { set, ...(isRemoved ? { unset: [isWithout] } : {}) };
    const outcome = await forge.table.transact([
      ...writes,
      update(ownerKey(current.id), item, equals({ v: current.v })),
      organizationTail(edited),
    ]);
    if (outcome.committed) return edited;
    const refusal = refusals.find((_error, place) => outcome.failed.includes(place));
    if (refusal !== undefined) throw refusal;
    current = await getAgain(forge, organization);
  }
  throw conflict("the organization is being changed by others; try again");
}

async function getAgain(forge: Forge, { id, name }: Organization): Promise<Organization> {
  const found = await forge.table.get<Organization>(ownerKey(id));
  if (found?.kind !== "organization") throw notFound(`organization does not exist [name: ${name}]`);
  return found;
}
