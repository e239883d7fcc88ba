import { z } from "#zod";

export const ActionVariable = z
  .object({
    owner_id: z.int().openapi({ description: "0 for a repository's variable" }),
    repo_id: z.int().openapi({ description: "0 for an owner's variable" }),
    name: z.string(),
    data: z.string(),
    description: z.string(),
  })
  .openapi("ActionVariable");
export type ActionVariableJson = z.infer<typeof ActionVariable>;

const value = z.string().openapi({ description: "not empty" });
const description = z.string().optional();

export const CreateVariableOption = z.object({ value, description }).openapi("CreateVariableOption");

export const UpdateVariableOption = z
  .object({
    name: z.string().optional().openapi({ description: "another name; it stays when absent or empty" }),
    value,
    description,
  })
  .openapi("UpdateVariableOption");
