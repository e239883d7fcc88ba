import type { Actor } from "../actor.ts";
import type { Hook } from "./hook.table.ts";
import type { HookChanges } from "./hook.ts";

/** The text in place of a secret that its reader may not see. */
export const secretMask = "********";

/** Whether a hook's secrets belong to the site administrators and are hidden from this caller (D-DEFAULTHOOK). */
export const isMaskedFor = (actor: Actor | undefined, hook: Pick<Hook, "isOfAdministrators">): boolean =>
  hook.isOfAdministrators === true && actor?.user.isAdmin !== true;

/** An address without its credentials: name and password, and the values of its query. */
export function maskedUrl(text: string): string {
  const url = new URL(text);
  if (url.username === "" && url.password === "" && url.search === "") return text;
  if (url.username !== "" || url.password !== "") [url.username, url.password] = [secretMask, ""];
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, secretMask);
  return url.href;
}

/**
 * The changes of a caller who sees the hook masked: masks that come back change nothing. When the target changes, the
 * hook loses the secrets that the new target would learn, and is the caller's own from then on.
 */
export function changesOfMasked(hook: Hook, { url, authorizationHeader, ...rest }: HookChanges) {
  const isElsewhere = url !== undefined && url !== hook.url && url !== maskedUrl(hook.url);
  const header =
    authorizationHeader === undefined || authorizationHeader === secretMask ? {} : { authorizationHeader };
  const forgotten: HookChanges = { secret: "", authorizationHeader: "" };
  return {
    changes: { ...(isElsewhere ? { ...forgotten, url } : {}), ...rest, ...header },
    isElsewhere,
  };
}
