import type { Verification } from "#core/code/verification";
import { judgementFor } from "#core/verification/verification";
import { z } from "#zod";
import type { View } from "../../http/answer/view.ts";

export const PayloadUser = z
  .object({ name: z.string(), email: z.string(), username: z.string() })
  .openapi("PayloadUser");

export const PayloadCommitVerification = z
  .object({
    verified: z.boolean(),
    reason: z.string(),
    signature: z.string(),
    signer: PayloadUser.nullable(),
    payload: z.string(),
  })
  .openapi("PayloadCommitVerification");
export type VerificationJson = z.infer<typeof PayloadCommitVerification>;

/**
 * A signature's judgment as a caller may know it, in the family's form: the same for commits, tags, branches and
 * written files.
 */
export function presentVerification(
  { actor }: Pick<View, "actor">,
  verification: Verification,
): VerificationJson {
  const { signature, payload, email } = verification;
  const { isVerified, reason, signer } = judgementFor(actor, verification);
  return {
    verified: isVerified,
    reason,
    signature,
    signer:
      signer === undefined ? null : { name: signer.fullName || signer.name, email, username: signer.name },
    payload,
  };
}
