import type { Endpoint } from "../endpoint.ts";
import type { PathParams } from "../params.ts";

/** Thrown when a request uses a former name: the caller is sent to the present one (semantics §1.3). */
export class Moved extends Error {
  /** By path parameter. */
  readonly names: Readonly<Record<string, string>>;
  constructor(names: Readonly<Record<string, string>>) {
    super(`what was asked for is ${Object.values(names).join("/")} now`);
    this.names = names;
  }
}

/** Throws when the path names a thing by a former name. */
export function requireCurrentNames(params: PathParams, names: Readonly<Record<string, string>>): void {
  const isCurrent = Object.entries(names).every(
    ([param, name]) => String(params[param]).toLowerCase() === name.toLowerCase(),
  );
  if (!isCurrent) throw new Moved(names);
}

/** Whether the target of an operation may have been renamed: a former name is answered by 307 (semantics §1.3). */
export const mayMove = ({ path, needs }: Pick<Endpoint, "path" | "needs">): boolean =>
  /\{(org|owner|template_owner)\}/.test(path) || needs.user !== undefined;
