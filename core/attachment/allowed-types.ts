import type { Config } from "../config.ts";
import { badRequest, type ForgeError, invalid, unprocessable } from "../errors.ts";
import { titleProblem } from "../text.ts";

const mostNameBytes = 255 * 4;

/**
 * Why a file may not be attached to an issue under this name, or undefined when it may. `contentType` comes from its
 * first bytes.
 */
export function attachmentProblem(
  { attachmentAllowedTypes: types }: Pick<Config, "attachmentAllowedTypes">,
  name: string,
  contentType: string,
): ForgeError | undefined {
  const problem = fileNameProblem(name);
  if (problem !== undefined || isAllowed(types, name, contentType)) return problem;
  return unprocessable(notAllowed(types, name, contentType));
}

/** The same for an asset of a release, where the family answers 400 for a kind of file (semantics §44.1). */
export function assetProblem(
  { releaseAllowedTypes: types }: Pick<Config, "releaseAllowedTypes">,
  name: string,
  contentType: string,
): ForgeError | undefined {
  const problem = fileNameProblem(name);
  if (problem !== undefined || isAllowed(types, name, contentType)) return problem;
  return badRequest(notAllowed(types, name, contentType));
}

const notAllowed = (types: readonly string[], name: string, contentType: string): string =>
  `files like ${name} (${contentType}) may not be attached here; allowed are ${types.join(", ")}`;

/** Why a file may not have this name, or undefined when it may. */
function fileNameProblem(name: string): ForgeError | undefined {
  const problem = titleProblem("Name", name);
  if (problem !== undefined) return problem;
  const isBare = !/[\p{Cc}\p{Zl}\p{Zp}/\\]/u.test(name) && Buffer.byteLength(name) <= mostNameBytes;
  return isBare
    ? undefined
    : invalid("Name", "a file name without slashes and control characters is expected");
}

/** `.ext`, `type/subtype`, `type/*`, or `*` for both; an empty list allows everything (semantics §44.1). */
function isAllowed(types: readonly string[], name: string, contentType: string): boolean {
  const type = (contentType.split(";")[0] ?? "").trim();
  const file = name.toLowerCase();
  return (
    types.length === 0 ||
    types.some(
      (one) =>
        one === "*/*" ||
        one === type ||
        (one.startsWith(".") && file.endsWith(one)) ||
        (one.endsWith("/*") && type.startsWith(one.slice(0, -1))),
    )
  );
}
