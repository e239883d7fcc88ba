import { hookTypes } from "#core/hook/hook.table";
import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

export const Hook = z
  .object({
    id: z.int(),
    type: z.string(),
    url: z.string(),
    content_type: z.string(),
    config: z
      .record(z.string(), z.string())
      .openapi({ description: "url, content_type, and the fields of a chat service; never the secret" }),
    events: z.array(z.string()).openapi({ description: "event types, with groups expanded" }),
    branch_filter: z.string(),
    authorization_header: z.string(),
    metadata: z.record(z.string(), z.string()).nullable(),
    active: z.boolean(),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .openapi("Hook");
export type HookJson = z.infer<typeof Hook>;

const options = {
  active: z.boolean().optional(),
  authorization_header: z.string().optional(),
  branch_filter: z
    .string()
    .optional()
    .openapi({ description: "a glob on branch names; empty: every branch" }),
  events: z.array(z.string()).optional(),
};
const config = z.record(z.string(), z.string());

export const CreateHookOption = z
  .object({
    ...options,
    type: z.string().openapi({ enum: [...hookTypes] }),
    config: config.openapi("CreateHookOptionConfig", {
      description: "url and content_type (json or form) are required; secret signs the deliveries",
    }),
  })
  .openapi("CreateHookOption");
export type CreateHookOptionJson = z.infer<typeof CreateHookOption>;

export const EditHookOption = z.object({ ...options, config: config.optional() }).openapi("EditHookOption");
export type EditHookOptionJson = z.infer<typeof EditHookOption>;
