import { type OwnedPlace, placePartition } from "../actions/place.ts";
import { placeStays, requirePlaceStaying } from "../actions/place-stays.ts";
import { type GivenSetting, removeSetting } from "../actions/setting.ts";
import { settingName, settingProblem } from "../actions/setting-name.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { absent, exists } from "../table/condition.ts";
import { put, update } from "../table/write.ts";
import { type ActionSecret, actionSecretKey, actionSecretsOf } from "./action-secret.table.ts";

/** Bound to where it lies: no other place, and no other name, can hold it. */
const sealingContext = (place: OwnedPlace, name: string): string =>
  `action-secret:${placePartition(place)}:${name}`;

const mostAttempts = 5;

/** All secrets of a place, by name: nothing here shows a value. */
export const listActionSecrets = ({ table }: Forge, place: OwnedPlace): Promise<ActionSecret[]> =>
  table.queryAll<ActionSecret>(actionSecretsOf(place));

/**
 * Sets a secret, and answers whether there was none of its name before. BadRequest when none may have the name, 422 for
 * a value that is empty or too much.
 */
export async function setActionSecret(
  forge: Forge,
  place: OwnedPlace,
  given: GivenSetting,
): Promise<{ readonly isNew: boolean }> {
  const name = settingName("secret", given.name);
  const { value, description } = given;
  const others = (await listActionSecrets(forge, place)).filter((one) => one.name !== name);
  const problem = settingProblem("Data", value, description ?? "", others);
  if (problem !== undefined) throw problem;
  const key = actionSecretKey(place, name);
  const now = nowSeconds(forge.clock);
  const set = {
    sealed: forge.secrets.seal(value, sealingContext(place, name)),
    sizeBytes: Buffer.byteLength(value),
    updatedAt: now,
  };
  const secret: ActionSecret = {
    ...key,
    name,
    ...set,
    description: description ?? "",
    createdAt: now,
    _v: 1,
  };
  const described = description === undefined ? {} : { description };
  for await (const _attempt of attempts(mostAttempts)) {
    const outcome = await forge.table.transact([put(secret, absent), ...placeStays(place)]);
    if (outcome.committed) return { isNew: true };
    if (!outcome.failed.includes(0)) await requirePlaceStaying(forge, place);
    else if (await forge.table.write(update(key, { set: { ...set, ...described } }, exists)))
      return { isNew: false };
  }
  throw conflict(`the secret ${name} is being changed by others; try again`);
}

/** Removes a secret; NotFound when the place has none such, BadRequest when none could have the name. */
export async function removeActionSecret({ table }: Forge, place: OwnedPlace, name: string): Promise<void> {
  const key = actionSecretKey(place, settingName("secret", name));
  if (!(await removeSetting(table, key))) throw notFound(`secret does not exist [name: ${name}]`);
}

/**
 * The values that a job of a repository gets: those of its owner, and its own, which win (semantics §61). One whose key
 * is lost is left out, and noted in the log.
 */
export async function actionSecretsFor(
  forge: Forge,
  places: { readonly owner: OwnedPlace; readonly repository: OwnedPlace },
): Promise<Record<string, string>> {
  const of = async (place: OwnedPlace) =>
    (await listActionSecrets(forge, place)).flatMap((secret) => opened(forge, place, secret));
  const [owners, own] = await Promise.all([of(places.owner), of(places.repository)]);
  return Object.fromEntries([...owners, ...own]);
}

function opened(
  { secrets, log }: Forge,
  place: OwnedPlace,
  { name, sealed }: ActionSecret,
): (readonly [string, string])[] {
  try {
    return [[name, secrets.open(sealed, sealingContext(place, name))]];
  } catch (error) {
    log.error("actions:secret-unreadable", { place, name, error });
    return [];
  }
}
