import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import { type OutgoingMessage, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { startJob } from "../jobs/job.ts";
import { equals } from "../table/condition.ts";
import { put, update, type Write } from "../table/write.ts";
import type { NameClaim } from "./former-names.ts";
import { type NameGuard, nameGuardKey, ownerKey } from "./owner.table.ts";
import type { Owner } from "./owner.ts";

const mostAttempts = 20;
/** None of them keeps a name from anybody, yet all are written with each change of the owner. */
const mostFormerNames = 100;

/** The change of a user or an organization, in one transaction with its entry in the list index. */
export interface OwnerChange<O extends Owner> {
  readonly set: Partial<O>;
  readonly unset?: readonly (keyof O & string)[];
  /** Further members that must still be as they were read. */
  readonly when?: Partial<O>;
  readonly writes?: readonly Write[];
  /** The meaning of a failed condition of the write at this place; without one the change is planned anew. */
  readonly refusals?: readonly (Error | (() => Promise<Error>) | undefined)[];
  /** Messages to send once it is done. */
  readonly messages?: readonly OutgoingMessage[];
}

/** How an owner is changed. */
export interface OwnerChanging<O extends Owner> {
  /** Its entry in the list index of users, for the transaction that changes it to this. */
  readonly delta: (owner: O) => Write;
  /** The change for its present state; undefined: none. Called again when somebody else's change came first. */
  readonly plan: (current: O) => Promise<OwnerChange<O> | undefined> | OwnerChange<O> | undefined;
}

/**
 * Changes a user or an organization, and answers it after the change. NotFound when it is gone, 409 when rivals keep
 * winning.
 */
export async function changeOwner<O extends Owner>(
  forge: Forge,
  owner: O,
  { delta, plan }: OwnerChanging<O>,
): Promise<O> {
  let current = owner;
  for await (const _attempt of attempts(mostAttempts)) {
    const change = await plan(current);
    if (change === undefined) return current;
    const { writes = [], refusals = [], unset = [], when = {}, messages = [] } = change;
    const set = { ...change.set, updatedAt: nowSeconds(forge.clock), v: current.v + 1 };
    const edited = { ...current, ...set };
    for (const name of unset) delete edited[name];
    const item = { set, ...(unset.length > 0 ? { unset } : {}) };
    const outcome = await forge.table.transact([
      update(ownerKey(current.id), item, equals({ ...when, v: current.v })),
      delta(edited),
      ...writes,
    ]);
    if (outcome.committed) {
      await send(forge, messages);
      return edited;
    }
    const isAsRead = !outcome.failed.includes(0);
    const refusal = refusals.find((_error, place) => outcome.failed.includes(place + 2));
    if (isAsRead && refusal !== undefined) throw typeof refusal === "function" ? await refusal() : refusal;
    current = await getAgain(forge, owner);
  }
  throw conflict(`${owner.name} is being changed by others; try again`);
}

async function getAgain<O extends Owner>(forge: Forge, { id, kind, name }: O): Promise<O> {
  const found = await forge.table.get<O>(ownerKey(id));
  if (found?.kind !== kind) throw notFound(`${kind} does not exist [name: ${name}]`);
  return found;
}

/** Several changes as one; each brings its own writes. */
export function joinedChanges<O extends Owner>(...changes: readonly OwnerChange<O>[]): OwnerChange<O> {
  const set: Partial<O> = Object.assign({}, ...changes.map((one) => one.set));
  return {
    set,
    when: Object.assign({}, ...changes.map(({ when }) => when)),
    unset: changes.flatMap(({ unset = [] }) => unset),
    writes: changes.flatMap(({ writes = [] }) => writes),
    refusals: changes.flatMap(({ writes = [], refusals = [] }) => writes.map((_, place) => refusals[place])),
    messages: changes.flatMap(({ messages = [] }) => messages),
  };
}

/**
 * The consequences of a change of visibility: forks of a hidden owner's repositories are private, so a job makes forks
 * follow when the owner becomes hidden, or stops being so. None for other changes, or when no visibility is given.
 */
export function visibilityChange<O extends Owner>(
  forge: Forge,
  current: Owner,
  visibility: Owner["visibility"] = current.visibility,
): OwnerChange<O> {
  if ((visibility === "private") === (current.visibility === "private")) return { set: {} };
  const { write, message } = startJob(forge, "follow-owner", { ownerId: current.id });
  return { set: {}, writes: [write], messages: [message] };
}

/**
 * The changes for a new name: the former one leads to the owner until somebody takes it (semantics §1.3). The name must
 * be well-formed; a taken one is refused.
 */
export function renamingChange<O extends Owner>(
  { clock }: Forge,
  current: O,
  name: string,
  claim: NameClaim,
): OwnerChange<O> {
  const { id, kind } = current;
  const former = current.name.toLowerCase();
  const next = name.toLowerCase();
  if (former === next) return { set: { name } as Partial<O> };
  const others = (current.formerNames ?? []).filter((one) => one !== next && one !== former);
  if (others.length >= mostFormerNames) {
    throw unprocessable(`nobody may be renamed more than ${mostFormerNames} times`);
  }
  const guard: NameGuard = { ...nameGuardKey(name), ownerId: id, kind, _v: 1 };
  const formerSince = nowSeconds(clock);
  const redirect: NameGuard = { ...nameGuardKey(former), ownerId: id, kind: "redirect", formerSince, _v: 1 };
  const set: object = { name, formerNames: [...others, former] };
  return {
    set: set as Partial<O>,
    writes: [put(guard, claim.isFree), put(redirect, equals({ ownerId: id }))],
    refusals: [claim.refusal],
  };
}
