import type { Config } from "../config.ts";
import { type ForgeError, invalid, unprocessable } from "../errors.ts";
import { titleProblem } from "../text.ts";

const mostNameBytes = 255 * 4;

/**
 * Why a file may not be attached under this name, or undefined when it may. `contentType` comes from its first bytes.
 */
export function attachmentProblem(
  { attachmentAllowedTypes }: Pick<Config, "attachmentAllowedTypes">,
  name: string,
  contentType: string,
): ForgeError | undefined {
  const problem = titleProblem("Name", name);
  if (problem !== undefined) return problem;
  if (/[\p{Cc}\p{Zl}\p{Zp}/\\]/u.test(name) || Buffer.byteLength(name) > mostNameBytes) {
    return invalid("Name", "a file name without slashes and control characters is expected");
  }
  if (isAllowed(attachmentAllowedTypes, name, contentType)) return undefined;
  return unprocessable(
    `files like ${name} (${contentType}) may not be attached here; allowed are ${attachmentAllowedTypes.join(", ")}`,
  );
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
