import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

const GPGKeyEmail = z
  .object({
    email: z.string(),
    verified: z.boolean().openapi({ description: "an activated address of the key's owner" }),
  })
  .openapi("GPGKeyEmail");

const key = {
  id: z.int(),
  primary_key_id: z.string().openapi({ description: "of a subkey: the key that it belongs to" }),
  key_id: z.string(),
  public_key: z.string().openapi({ description: "the key alone, in base64" }),
  emails: z.array(GPGKeyEmail),
  can_sign: z.boolean(),
  can_encrypt_comms: z.boolean(),
  can_encrypt_storage: z.boolean(),
  can_certify: z.boolean(),
  verified: z.boolean().openapi({ description: "its owner has signed the verification token with it" }),
  created_at: dateTime,
  expires_at: dateTime.openapi({ description: "0001-01-01T00:00:00Z: never" }),
};

export const GPGKey = z
  .object({
    ...key,
    subkeys: z.array(
      z.object({ ...key, subkeys: z.array(z.unknown()).openapi({ description: "subkeys have none" }) }),
    ),
  })
  .openapi("GPGKey");
export type GPGKeyJson = z.infer<typeof GPGKey>;

export const CreateGPGKeyOption = z
  .object({
    armored_public_key: z.string().min(1),
    armored_signature: z.string().optional().openapi({
      description: "of the verification token; not needed when the key names an activated address",
    }),
  })
  .openapi("CreateGPGKeyOption");

export const VerifyGpgKeyOption = z
  .object({
    key_id: z.string().min(1),
    armored_signature: z.string().min(1).openapi({ description: "of the verification token" }),
  })
  .openapi("VerifyGpgKeyOption");
