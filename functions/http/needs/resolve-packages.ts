import { accessMode } from "#core/access/modes";
import { findPackageAccess, type PackageAccess } from "#core/access/package-access";
import type { Actor } from "#core/actor";
import { forbidden, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { missingScope } from "#core/token/scope";
import { noSuchUser } from "#core/user/find";
import type { PathParams } from "../params.ts";
import { requirePublic } from "./caller.ts";
import { requireCurrentNames } from "./moved.ts";
import type { Needs } from "./needs.ts";

const logIn = (what: string) =>
  unauthorized(`log in to ${what}: a token or basic authentication is required`);

/** The owner of the path and the caller's mode on their packages (semantics §59.1), when the operation needs them. */
export async function resolvePackages(
  forge: Forge,
  { package: need }: Needs,
  actor: Actor | undefined,
  { owner }: PathParams,
): Promise<PackageAccess | undefined> {
  if (need === undefined) return undefined;
  const { mode, challenges } = need;
  const refuse = challenges === true ? unauthorized : forbidden;
  // Elsewhere the scope is a need of its own.
  const missing = challenges === true ? missingScope(actor?.grant, ["package"], mode) : undefined;
  if (missing !== undefined) throw unauthorized(`the token lacks the scope ${missing}`);
  const found = await findPackageAccess(forge, actor, String(owner));
  if (found === undefined) {
    throw challenges === true && actor === undefined
      ? logIn("see whether there are packages")
      : noSuchUser(String(owner));
  }
  requireCurrentNames({ owner: String(owner) }, { owner: found.owner.name });
  requirePublic(actor, { owner: found.owner });
  if (found.mode >= accessMode[mode]) return found;
  if (actor === undefined) throw logIn(`${mode} packages here`);
  throw refuse(`you may not ${mode} the packages of ${found.owner.name}`);
}
