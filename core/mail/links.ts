import { z } from "zod";
import type { Forge } from "../forge.ts";
import { openSealedValue, type SealedKind, sealValue } from "../sealed-value.ts";

/** The path of links in mails; no owner may have this name. */
export const mailPath = "/-/mail/";

const unsubscribing = {
  word: "unsubscribe",
  purpose: "mail-unsubscribe",
  shape: z.object({ userId: z.int() }),
};
const confirming = {
  word: "confirm",
  purpose: "mail-confirm",
  shape: z.object({ userId: z.int(), email: z.string(), until: z.number() }),
};

/** An address that an account claims, and until when the link counts (milliseconds). */
export type Claim = z.infer<typeof confirming.shape>;

const linkOf = <T>(forge: Forge, kind: SealedKind<T> & { readonly word: string }, value: T): string =>
  `${forge.config.rootUrl}${mailPath}${kind.word}/${sealValue(forge, kind, value)}`;

/** The link by which a user ends mails of notifications; it counts as long as the account. */
export const unsubscribeLink = (forge: Forge, userId: number): string =>
  linkOf(forge, unsubscribing, { userId });
/** The user's id; undefined when the link was made up. */
export const unsubscriberOf = (forge: Forge, sealed: string): number | undefined =>
  openSealedValue(forge, unsubscribing, sealed)?.userId;

/** The link that confirms an address. */
export const confirmationLink = (forge: Forge, claim: Claim): string => linkOf(forge, confirming, claim);
/** The claim in a link; undefined when it was made up, or its time is over. */
export const claimOf = (forge: Forge, sealed: string): Claim | undefined =>
  openSealedValue(forge, confirming, sealed);
