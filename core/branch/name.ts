import { type ForgeError, invalid } from "../errors.ts";
import { isValidRefName } from "../git/format/check-ref-name.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";

const longestName = 100;

/** Why a branch may not be made under this name through the API (semantics §30), or undefined when it may. */
export function branchNameProblem(name: string, field: string): ForgeError | undefined {
  if (name.length > longestName) return invalid(field, `MaxSize ${longestName}`);
  const isWellFormed = isValidRefName(`${branchPrefix}${name}`) && !name.startsWith("-") && name !== "HEAD";
  return isWellFormed ? undefined : invalid(field, "GitRefName: git allows no such branch name");
}
