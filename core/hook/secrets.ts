import { type Config, required } from "../config.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { createSecrets, keyIdOf } from "../secrets.ts";
import type { Hook } from "./hook.table.ts";
import { hookKeysOf } from "./hook-keys.ts";

type Sealed = Pick<Hook, "id" | "secret" | "authorizationHeader">;

/** The keys that open hooks' secrets: those of `SECRET_KEY`, or what a delivering worker has instead (`HOOK_KEY`). */
const secretsFor = lazyFor((config: Config) => {
  const isDelivering = config.secretKey === "" && config.hookKey !== "";
  return createSecrets(isDelivering ? config.hookKey : hookKeysOf(required(config, "secretKey")));
});

/** The ids of the keys that open hooks' secrets; the first one seals. */
export const hookKeyIds = ({ config }: Pick<Forge, "config">): readonly string[] =>
  secretsFor(config).keyIds();

const keyIdsIn = ({ secret, authorizationHeader }: Sealed): string[] =>
  [secret, authorizationHeader].filter((value) => value !== undefined).map(keyIdOf);

/** Whether the present keys open a hook's secrets; else another key sealed them. */
export const areHookSecretsReadable = (forge: Forge, hook: Sealed): boolean =>
  keyIdsIn(hook).every((id) => hookKeyIds(forge).includes(id));

/** Whether a hook's secrets were sealed under another key than the one that seals now. */
export const areHookSecretsOutdated = (forge: Forge, hook: Sealed): boolean =>
  keyIdsIn(hook).some((id) => id !== hookKeyIds(forge)[0]);

/** A hook's secrets in the clear: to sign with, to send, and to show the header to administrators. Empty when unset. */
export function hookSecretsOf(
  { config }: Forge,
  hook: Sealed,
): { secret: string; authorizationHeader: string } {
  const open = (value: string | undefined, what: string) =>
    value === undefined ? "" : secretsFor(config).open(value, context(hook.id, what));
  return {
    secret: open(hook.secret, "secret"),
    authorizationHeader: open(hook.authorizationHeader, "authorization"),
  };
}

/** Secrets sealed for the hook of this id: no other item can hold them. Empty ones are left out. */
export function sealSecrets(
  { config }: Forge,
  id: number,
  given: { readonly secret?: string; readonly authorizationHeader?: string },
): Pick<Hook, "secret" | "authorizationHeader"> {
  const seal = (value: string, what: string) => secretsFor(config).seal(value, context(id, what));
  return {
    ...(given.secret ? { secret: seal(given.secret, "secret") } : {}),
    ...(given.authorizationHeader
      ? { authorizationHeader: seal(given.authorizationHeader, "authorization") }
      : {}),
  };
}

const context = (id: number, what: string): string => `hook:${id}:${what}`;
