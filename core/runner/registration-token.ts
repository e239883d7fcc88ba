import { createHash, randomInt } from "node:crypto";
import { type ActionsPlace, placePartition } from "../actions/place.ts";
import { placeStays, requirePlaceStaying } from "../actions/place-stays.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import {
  type RegistrationToken,
  type RegistrationTokenGuard,
  registrationTokenGuardKey,
  registrationTokenKey,
} from "./runner.table.ts";

const mostAttempts = 5;
const tokenLength = 40;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** SHA-256 in hex: tokens are random and need no salt. */
export const runnerSecretHash = (text: string): string => createHash("sha256").update(text).digest("hex");

const sealingContext = (place: ActionsPlace): string => `registration-token:${placePartition(place)}`;

/**
 * The registration token of a place: 40 letters and digits, the same for everybody who asks until it is deactivated, or
 * the repository gets another owner (B-17, semantics §17). NotFound when its owner is gone, Conflict when others keep
 * changing it.
 */
export async function registrationToken(forge: Forge, place: ActionsPlace): Promise<string> {
  for await (const _attempt of attempts(mostAttempts)) {
    const found = await forge.table.get<RegistrationToken>(registrationTokenKey(place));
    const text = found === undefined ? undefined : textOf(forge, place, found);
    if (text !== undefined) return text;
    const made = Array.from({ length: tokenLength }, () => alphabet[randomInt(alphabet.length)]).join("");
    const { committed } = await forge.table.transact(replacement(forge, place, made, found));
    if (committed) return made;
    await requirePlaceStaying(forge, place);
  }
  throw conflict("the registration token is being changed by others; try again");
}

/** Undefined when the token counts no more: it was a former owner's, or the key that sealed it is lost. */
function textOf({ secrets, log }: Forge, place: ActionsPlace, token: RegistrationToken): string | undefined {
  if (!isOfSameOwner(place, token.place)) return undefined;
  try {
    return secrets.open(token.sealed, sealingContext(place));
  } catch (error) {
    log.warn("runner:registration-token-unreadable", { place, error });
    return undefined;
  }
}

function isOfSameOwner(now: ActionsPlace, then: ActionsPlace): boolean {
  return now.kind !== "repository" || (then.kind === "repository" && then.ownerId === now.ownerId);
}

function replacement(
  forge: Forge,
  place: ActionsPlace,
  text: string,
  former: RegistrationToken | undefined,
): Write[] {
  const hash = runnerSecretHash(text);
  const token: RegistrationToken = {
    ...registrationTokenKey(place),
    place,
    sealed: forge.secrets.seal(text, sealingContext(place)),
    hash,
    createdAt: nowSeconds(forge.clock),
    _v: 1,
  };
  const guard: RegistrationTokenGuard = { ...registrationTokenGuardKey(hash), place, _v: 1 };
  return [
    put(token, former === undefined ? absent : equals({ hash: former.hash })),
    put(guard, absent),
    ...(former === undefined ? [] : [remove(registrationTokenGuardKey(former.hash))]),
    ...placeStays(place),
  ];
}

/** Deactivates the registration token of a place, if it has one: no runner can register with it any more. */
export async function deactivateRegistrationToken({ table }: Forge, place: ActionsPlace): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    const found = await table.get<RegistrationToken>(registrationTokenKey(place));
    if (found === undefined) return;
    const { committed } = await table.transact([
      remove(registrationTokenKey(place), equals({ hash: found.hash })),
      remove(registrationTokenGuardKey(found.hash)),
    ]);
    if (committed) return;
  }
  throw conflict("the registration token is being changed by others; try again");
}

/** The place whose runners a registration token registers; undefined when it counts no more. */
export async function placeOfRegistrationToken(
  { table }: Pick<Forge, "table">,
  text: string,
): Promise<ActionsPlace | undefined> {
  const guard = await table.get<RegistrationTokenGuard>(registrationTokenGuardKey(runnerSecretHash(text)));
  if (guard?.place.kind !== "repository") return guard?.place;
  const repository = await table.get<Repository>(repositoryKey(guard.place.id));
  const isTheirs = repository?.state === "live" && repository.ownerId === guard.place.ownerId;
  return isTheirs ? guard.place : undefined;
}
