import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

export const AccessToken = z
  .object({
    id: z.int(),
    name: z.string(),
    sha1: z.string().openapi({ description: "the token itself; only in the answer that creates it" }),
    token_last_eight: z.string(),
    scopes: z.array(z.string()),
    created_at: dateTime,
    last_used_at: dateTime.nullable(),
    expires_at: dateTime.nullable().openapi({ description: "null: it has no end" }),
  })
  .openapi("AccessToken");
export type AccessTokenJson = z.infer<typeof AccessToken>;

export const CreateAccessTokenOption = z
  .object({
    name: z.string().min(1),
    scopes: z.array(z.string()).default([]),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: "from then on it counts no more; without it, it has no end" }),
  })
  .openapi("CreateAccessTokenOption");

export const CurrentAccessToken = z
  .object({
    id: z.int(),
    name: z.string(),
    scopes: z.array(z.string()),
    created_at: dateTime,
    last_used_at: dateTime.nullable(),
    user: z.object({ id: z.int(), login: z.string() }).openapi("UserMeta"),
  })
  .openapi("CurrentAccessToken");
