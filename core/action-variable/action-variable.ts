import type { OwnedPlace } from "../actions/place.ts";
import { placeStays, requirePlaceStaying } from "../actions/place-stays.ts";
import { type GivenSetting, removeSetting } from "../actions/setting.ts";
import { knownName, settingName, settingProblem } from "../actions/setting-name.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { absent, equals } from "../table/condition.ts";
import { put, remove } from "../table/write.ts";
import { type ActionVariable, actionVariableKey, actionVariablesOf } from "./action-variable.table.ts";

/** The changes of a variable; absent members stay as they are. */
export type VariableChanges = Omit<GivenSetting, "name"> & { readonly name?: string | undefined };

const mostAttempts = 5;

/** All variables of a place, by name. */
export const listActionVariables = ({ table }: Forge, place: OwnedPlace): Promise<ActionVariable[]> =>
  table.queryAll<ActionVariable>(actionVariablesOf(place));

/** The variable of a name in any case; NotFound when the place has none such. */
export async function getActionVariable(
  { table }: Forge,
  place: OwnedPlace,
  name: string,
): Promise<ActionVariable> {
  const known = knownName(name);
  const found =
    known === undefined ? undefined : await table.get<ActionVariable>(actionVariableKey(place, known));
  if (found === undefined) throw noSuchVariable(name);
  return found;
}

/**
 * Creates a variable. Conflict when the place has one of this name, BadRequest when none may have it, 422 for a value
 * that is empty or too much.
 */
export async function createActionVariable(
  forge: Forge,
  place: OwnedPlace,
  given: GivenSetting,
): Promise<void> {
  const name = settingName("variable", given.name);
  const { value, description = "" } = given;
  await requireRoom(forge, place, [name], value, description);
  const now = nowSeconds(forge.clock);
  const variable: ActionVariable = {
    ...actionVariableKey(place, name),
    ...{ name, value, description, createdAt: now, updatedAt: now, v: 1, _v: 1 },
  };
  const outcome = await forge.table.transact([put(variable, absent), ...placeStays(place)]);
  if (outcome.committed) return;
  if (outcome.failed.includes(0)) throw taken(name);
  await requirePlaceStaying(forge, place);
  throw conflict("the variable could not be created just now; try again");
}

/** Changes a variable, its name included. NotFound, Conflict when the new name is taken, and as on creation. */
export async function editActionVariable(
  forge: Forge,
  place: OwnedPlace,
  formerName: string,
  { value, ...changes }: VariableChanges,
): Promise<void> {
  const newName = changes.name ? settingName("variable", changes.name) : undefined;
  for await (const _attempt of attempts(mostAttempts)) {
    const former = await getActionVariable(forge, place, formerName);
    const name = newName ?? former.name;
    const { description = former.description } = changes;
    await requireRoom(forge, place, [former.name, name], value, description);
    const edited: ActionVariable = {
      ...former,
      ...actionVariableKey(place, name),
      ...{ name, value, description, updatedAt: nowSeconds(forge.clock), v: former.v + 1 },
    };
    const asRead = equals({ v: former.v });
    const outcome = await forge.table.transact(
      name === former.name
        ? [put(edited, asRead)]
        : [remove(actionVariableKey(place, former.name), asRead), put(edited, absent), ...placeStays(place)],
    );
    if (outcome.committed) return;
    if (outcome.failed.includes(1)) throw taken(name);
  }
  throw conflict(`the variable ${formerName} is being changed by others; try again`);
}

/** Removes a variable; NotFound when the place has none such, BadRequest when none could have the name. */
export async function removeActionVariable({ table }: Forge, place: OwnedPlace, name: string): Promise<void> {
  const key = actionVariableKey(place, settingName("variable", name));
  if (!(await removeSetting(table, key))) throw noSuchVariable(name);
}

async function requireRoom(
  forge: Forge,
  place: OwnedPlace,
  replaced: readonly string[],
  value: string,
  description: string,
): Promise<void> {
  const all = await listActionVariables(forge, place);
  const others = all
    .filter((one) => !replaced.includes(one.name))
    .map((one) => ({ name: one.name, sizeBytes: Buffer.byteLength(one.value) }));
  const problem = settingProblem("Value", value, description, others);
  if (problem !== undefined) throw problem;
}

const taken = (name: string) => conflict(`there is a variable ${name} here already`);
const noSuchVariable = (name: string) => notFound(`variable does not exist [name: ${name}]`);

/** The variables that a job of a repository reads: those of its owner, and its own, which win (semantics §61). */
export async function actionVariablesFor(
  forge: Forge,
  places: { readonly owner: OwnedPlace; readonly repository: OwnedPlace },
): Promise<Record<string, string>> {
  const lists = [places.owner, places.repository].map((place) => listActionVariables(forge, place));
  const all = (await Promise.all(lists)).flat();
  return Object.fromEntries(all.map(({ name, value }) => [name, value]));
}
