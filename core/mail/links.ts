import { z } from "zod";
import type { Forge } from "../forge.ts";

/** Where the links in mails lead; no owner may have this name. */
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

interface Kind<T> {
  readonly word: string;
  readonly purpose: string;
  readonly shape: z.ZodType<T>;
}

const linkOf = <T>({ config, secrets }: Forge, { word, purpose }: Kind<T>, value: T): string =>
  `${config.rootUrl}${mailPath}${word}/${secrets.seal(JSON.stringify(value), purpose)}`;

/** What a link was sealed with; undefined when it was made up, or its key is gone. */
function meaningOf<T>({ secrets }: Forge, { purpose, shape }: Kind<T>, sealed: string): T | undefined {
  try {
    return shape.parse(JSON.parse(secrets.open(sealed, purpose)));
  } catch {
    return undefined; // nobody can tell the two apart
  }
}

/** The link by which a user ends mails of notifications; it counts as long as the account. */
export const unsubscribeLink = (forge: Forge, userId: number): string =>
  linkOf(forge, unsubscribing, { userId });
export const unsubscriberOf = (forge: Forge, sealed: string): number | undefined =>
  meaningOf(forge, unsubscribing, sealed)?.userId;

/** The link that confirms an address. */
export const confirmationLink = (forge: Forge, claim: Claim): string => linkOf(forge, confirming, claim);
/** What it claims; undefined when it was made up, or its time is over. */
export function claimOf(forge: Forge, sealed: string): Claim | undefined {
  const claim = meaningOf(forge, confirming, sealed);
  return claim === undefined || claim.until < forge.clock.now() ? undefined : claim;
}
