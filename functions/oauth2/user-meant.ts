import { z } from "zod";
import type { Forge } from "#core/forge";
import { OAuth2Refusal } from "#core/oauth2-grant/refusal";
import { hintedUserId } from "#core/oauth2-grant/tokens";
import { openSealedValue, sealValue } from "#core/sealed-value";

const hintName = "id_token_hint";
/** Stands in the address in place of the hint while the user signs in: sealed, and short. */
const shortName = "user_meant";

/** The user whom a program means. */
const meantKind = {
  purpose: "oauth2-user-meant",
  shape: z.object({ clientId: z.string(), userId: z.number() }),
};
export type UserMeant = z.infer<typeof meantKind.shape>;

/**
 * The user whose id token came as a hint: nobody else is let in (OpenID Connect Core, section 3.1.2.2). Throws
 * OAuth2Refusal for a text that is no id token of this program.
 */
export async function findUserMeant(
  forge: Forge,
  clientId: string,
  hint: string | undefined,
  { searchParams }: URL,
): Promise<UserMeant | undefined> {
  const short = searchParams.get(shortName);
  if (hint === undefined && short === null) return undefined;
  const meant = short === null ? undefined : openSealedValue(forge, meantKind, short);
  const userId = hint === undefined ? meant?.userId : await hintedUserId(forge, clientId, hint);
  if (userId === undefined || (hint === undefined && meant?.clientId !== clientId)) {
    throw new OAuth2Refusal("invalid_request", "id_token_hint is no id token that this program got here");
  }
  return { clientId, userId };
}

/** Puts who is meant in place of the hint: a login at a provider keeps the way back in a cookie, which is short. */
export function shortenHint(forge: Forge, { searchParams }: URL, meant: UserMeant): void {
  searchParams.delete(hintName);
  searchParams.set(shortName, sealValue(forge, meantKind, meant));
}

/** Whether a parameter says who is meant. */
export const isOfUserMeant = (name: string): boolean => name === hintName || name === shortName;
