import type { Actor } from "#core/actor";
import { forbidden, unprocessable } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import { findOwner, noSuchUser } from "#core/user/find";
import { findSystemUserByName } from "#core/user/system-users";
import type { PathParams } from "../params.ts";
import { requirePublic } from "./caller.ts";
import { requireCurrentNames } from "./moved.ts";
import type { Needs } from "./needs.ts";

/** The user (or owner) of the path, when the operation needs one. */
export async function resolveUser(
  forge: Forge,
  { user: need }: Needs,
  actor: Actor | undefined,
  params: PathParams,
): Promise<Owner | undefined> {
  if (need === undefined) return undefined;
  const name = String(params.username);
  const system = need === "known" ? findSystemUserByName(name) : undefined;
  if (system !== undefined) return system;
  const found = await findOwner(forge, actor, name);
  if (found?.kind === "organization" && need === "account") {
    throw unprocessable(`${found.name} is an organization, not a user`);
  }
  if (found === undefined || (found.kind === "organization" && need !== "owner" && need !== "known")) {
    throw noSuchUser(name);
  }
  requireCurrentNames({ username: name }, { username: found.name });
  if (need === "self-or-admin" && actor?.user.id !== found.id && actor?.user.isAdmin !== true) {
    throw forbidden("only the user and site administrators may do this");
  }
  requirePublic(actor, { owner: found });
  return found;
}
