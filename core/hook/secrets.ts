import type { Forge } from "../forge.ts";
import type { Hook } from "./hook.table.ts";

/** A hook's secrets in the clear: to sign with, to send, and to show the header to administrators. Empty when unset. */
export function secretsOf(
  forge: Forge,
  hook: Pick<Hook, "id" | "secret" | "authorizationHeader">,
): { secret: string; authorizationHeader: string } {
  const open = (value: string | undefined, what: string) =>
    value === undefined ? "" : forge.secrets.open(value, context(hook.id, what));
  return {
    secret: open(hook.secret, "secret"),
    authorizationHeader: open(hook.authorizationHeader, "authorization"),
  };
}

/** Secrets as the hook of this id keeps them: nobody else's item can hold them. Empty ones are left out. */
export function sealSecrets(
  forge: Forge,
  id: number,
  given: { readonly secret?: string; readonly authorizationHeader?: string },
): Pick<Hook, "secret" | "authorizationHeader"> {
  const seal = (value: string, what: string) => forge.secrets.seal(value, context(id, what));
  return {
    ...(given.secret ? { secret: seal(given.secret, "secret") } : {}),
    ...(given.authorizationHeader
      ? { authorizationHeader: seal(given.authorizationHeader, "authorization") }
      : {}),
  };
}

const context = (id: number, what: string): string => `hook:${id}:${what}`;
