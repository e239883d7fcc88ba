import { z } from "#zod";
import { User } from "../user/schema.ts";

export const AddCollaboratorOption = z
  .object({
    permission: z
      .string()
      .optional()
      .openapi({ description: "read, write (default) or admin; other words have no effect" }),
  })
  .openapi("AddCollaboratorOption");

export const RepoCollaboratorPermission = z
  .object({ permission: z.string(), role_name: z.string(), user: User })
  .openapi("RepoCollaboratorPermission");
