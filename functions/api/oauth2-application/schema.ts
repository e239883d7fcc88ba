import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

export const OAuth2Application = z
  .object({
    id: z.int(),
    name: z.string(),
    client_id: z.string(),
    client_secret: z.string().openapi({ description: "shown when it was just made, empty otherwise" }),
    confidential_client: z.boolean(),
    redirect_uris: z.array(z.string()),
    created: dateTime,
  })
  .openapi("OAuth2Application");
export type OAuth2ApplicationJson = z.infer<typeof OAuth2Application>;

export const CreateOAuth2ApplicationOptions = z
  .object({
    name: z.string(),
    redirect_uris: z.array(z.string()).openapi({
      description: "where users may be sent back to: absolute addresses without a fragment",
    }),
    confidential_client: z
      .boolean()
      .optional()
      .openapi({ description: "whether it can keep a secret; programs on users' machines can't" }),
  })
  .openapi("CreateOAuth2ApplicationOptions");
