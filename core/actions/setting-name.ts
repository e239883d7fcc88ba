import { badRequest, type ForgeError, invalid } from "../errors.ts";

/** What a name stands for: variables have one prefix more that is kept for the runner. */
export type SettingKind = "variable" | "secret";

const longestName = 255;
const longestDescription = 255;
const ofRunners = ["GITHUB_", "GITEA_", "FORGEJO_"];
const kept = { variable: [...ofRunners, "CI"], secret: ofRunners };

/** A name as it is kept, in capitals: it is looked up in any case. Undefined for one that nothing can have. */
export function knownName(given: string): string | undefined {
  const name = given.toUpperCase();
  return /^[A-Z_][A-Z0-9_]*$/.test(name) && name.length <= longestName ? name : undefined;
}

/** The name of a variable or a secret as it is kept; BadRequest for one that none may have (semantics §63.1). */
export function settingName(kind: SettingKind, given: string): string {
  const name = knownName(given);
  if (name === undefined) {
    throw badRequest(
      `a ${kind}'s name has 1 to ${longestName} letters, digits and underscores, and does not start with a digit`,
    );
  }
  const prefix = kept[kind].find((one) => name.startsWith(one));
  if (prefix !== undefined) throw badRequest(`a ${kind}'s name may not start with ${prefix}`);
  return name;
}

/** What bounds the values of a place, which a task gets all together. */
const settingBounds = { perPlace: 100, valueBytes: 49_152, allBytes: 262_144 };

/** A variable or a secret as a bound sees it. */
export interface Sized {
  readonly name: string;
  readonly sizeBytes: number;
}

/** Why a place may not have this value among its others; undefined when it may. `field` is the value's. */
export function settingProblem(
  field: string,
  value: string,
  description: string,
  others: readonly Sized[],
): ForgeError | undefined {
  const { perPlace, valueBytes, allBytes } = settingBounds;
  const size = Buffer.byteLength(value);
  if (size === 0) return invalid(field, "Required");
  if (size > valueBytes) return invalid(field, `at most ${valueBytes} bytes of UTF-8`);
  if (description.length > longestDescription) return invalid("Description", `MaxSize ${longestDescription}`);
  if (others.length >= perPlace)
    return invalid(field, `at most ${perPlace} may exist here: remove one first`);
  const sum = others.reduce((bytes, one) => bytes + one.sizeBytes, size);
  return sum > allBytes ? invalid(field, `all of them here have at most ${allBytes} bytes`) : undefined;
}
