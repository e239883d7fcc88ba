import { z } from "#zod";

export const Label = z
  .object({
    id: z.int(),
    name: z.string(),
    exclusive: z.boolean(),
    is_archived: z.boolean(),
    color: z.string().openapi({ description: "six hex digits without #" }),
    description: z.string(),
    url: z.string(),
  })
  .openapi("Label");
export type LabelJson = z.infer<typeof Label>;

const color = z.string().openapi({ description: "three or six hex digits, with or without #" });

export const CreateLabelOption = z
  .object({
    name: z.string().min(1),
    color,
    description: z.string().optional(),
    exclusive: z.boolean().optional(),
    is_archived: z.boolean().optional(),
  })
  .openapi("CreateLabelOption");

export const EditLabelOption = z
  .object({
    name: z.string().optional(),
    color: color.optional(),
    description: z.string().optional(),
    exclusive: z.boolean().optional(),
    is_archived: z.boolean().optional(),
  })
  .openapi("EditLabelOption");
export type EditLabelOptionJson = z.infer<typeof EditLabelOption>;
