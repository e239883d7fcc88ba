import { z } from "@hono/zod-openapi";
import type { Verification } from "#core/code/code";

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

/** What is known of a signature, in the family's form: the same for commits, tags, branches and written files. */
export function presentVerification(verification: Verification): VerificationJson {
  const { isVerified, reason, signature, signer, payload } = verification;
  return { verified: isVerified, reason, signature, signer: signer ?? null, payload };
}
