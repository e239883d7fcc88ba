import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { User } from "../user/schema.ts";

export const PublicKey = z
  .object({
    id: z.int(),
    key: z.string().openapi({ description: "as in authorized keys; only its owner sees the comment" }),
    url: z.string(),
    title: z.string(),
    fingerprint: z.string().openapi({ description: "SHA256:…" }),
    created_at: dateTime,
    user: User.optional().openapi({ description: "for its owner and administrators alone" }),
    read_only: z.boolean(),
    key_type: z.string().openapi({ description: "user" }),
  })
  .openapi("PublicKey");
export type PublicKeyJson = z.infer<typeof PublicKey>;

export const CreateKeyOption = z
  .object({
    title: z.string().min(1),
    key: z.string().min(1).openapi({ description: "an SSH public key: one line, RFC 4716, or PEM" }),
    read_only: z.boolean().optional(),
  })
  .openapi("CreateKeyOption");

/** The query value that narrows a list to one key. Its plus signs arrive as spaces unless they were encoded. */
export const fingerprint = z
  .string()
  .transform((given) => given.replaceAll(" ", "+"))
  .pipe(z.string())
  .optional()
  .openapi({ type: "string", description: "SHA256:…: only the key with this fingerprint" });

/** A new key in core's terms. */
export const newKeyOf = ({ title, key, read_only: isReadOnly = false }: z.infer<typeof CreateKeyOption>) => ({
  title,
  key,
  isReadOnly,
});
