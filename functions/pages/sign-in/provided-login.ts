import { z } from "zod";
import type { ProvidedLogin } from "#core/external-login/external-login";

/** A login at a provider, as it comes back sealed. */
export const providedLoginShape: z.ZodType<ProvidedLogin> = z.object({
  ...{ source: z.string(), issuer: z.string(), subject: z.string() },
  ...{ name: z.string(), fullName: z.string(), email: z.string() },
});
