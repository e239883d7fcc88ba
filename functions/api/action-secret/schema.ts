import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

export const Secret = z
  .object({ name: z.string(), description: z.string(), created_at: dateTime })
  .openapi("Secret");

export const CreateOrUpdateSecretOption = z
  .object({
    data: z.string().openapi({ description: "the value, not empty: nobody can read it afterwards" }),
    description: z.string().optional(),
  })
  .openapi("CreateOrUpdateSecretOption");
