import { z } from "#zod";

export const RegistrationToken = z.object({ token: z.string() }).openapi("RegistrationToken");

export const ActionRunner = z
  .object({
    id: z.int(),
    uuid: z.string(),
    name: z.string(),
    description: z.string(),
    version: z.string(),
    labels: z.array(z.string()),
    owner_id: z.int().openapi({ description: "0 for a repository's runner, and for the installation's" }),
    repo_id: z.int().openapi({ description: "0 unless it is a repository's runner" }),
    ephemeral: z.boolean().openapi({ description: "it takes one job, and is removed after that" }),
    disabled: z.boolean().openapi({
      description: "it takes no jobs; so is a repository's runner from the time of another owner",
    }),
    busy: z.boolean(),
    status: z.enum(["offline", "idle", "active"]),
  })
  .openapi("ActionRunner");
export type ActionRunnerJson = z.infer<typeof ActionRunner>;

export const RegisterRunnerOptions = z
  .object({ name: z.string(), description: z.string().optional(), ephemeral: z.boolean().optional() })
  .openapi("RegisterRunnerOptions");

export const RegisterRunnerResponse = z
  .object({
    id: z.int(),
    uuid: z.string(),
    token: z.string().openapi({ description: "shown this once" }),
  })
  .openapi("RegisterRunnerResponse");

export const EditActionRunnerOption = z.object({ disabled: z.boolean() }).openapi("EditActionRunnerOption");

export const ActionRunJob = z
  .object({
    id: z.int(),
    repo_id: z.int(),
    owner_id: z.int(),
    name: z.string(),
    needs: z.array(z.string()),
    runs_on: z.array(z.string()),
    task_id: z.int().openapi({ description: "0 until a runner has taken it" }),
    attempt: z.int(),
    status: z.string(),
  })
  .openapi("ActionRunJob");
export type ActionRunJobJson = z.infer<typeof ActionRunJob>;
