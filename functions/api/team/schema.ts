import { unitKeys } from "#core/access/modes";
import { z } from "#zod";
import { Organization } from "../organization/schema.ts";

const mostUnits = 100;

const modes = ["none", "read", "write", "admin", "owner"] as const;

export const Team = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    organization: Organization.nullable(),
    includes_all_repositories: z.boolean(),
    permission: z.enum(modes),
    units: z.array(z.string()),
    units_map: z.record(z.string(), z.enum(modes)),
    can_create_org_repo: z.boolean(),
  })
  .openapi("Team");
export type TeamJson = z.infer<typeof Team>;

export const TeamSearchResults = z.object({ ok: z.boolean(), data: z.array(Team) });

const rights = {
  description: z.string().optional().openapi({ maxLength: 255 }),
  permission: z
    .enum(["", "read", "write", "admin"])
    .optional()
    .openapi({ description: "admin: all units, whatever the others say" }),
  units: z
    .array(z.string())
    .max(mostUnits)
    .optional()
    .openapi({
      description: `each gets the permission; units_map wins. Known are ${unitKeys.join(", ")}; others count for nothing`,
    }),
  units_map: z
    .record(z.string(), z.string())
    .optional()
    .openapi({
      description: "none, read, write or admin for each unit",
      example: { "repo.code": "read", "repo.issues": "write" },
    }),
  includes_all_repositories: z.boolean().optional(),
  can_create_org_repo: z.boolean().optional(),
};

export const CreateTeamOption = z
  .object({ name: z.string().min(1).openapi({ maxLength: 255 }), ...rights })
  .openapi("CreateTeamOption");

export const EditTeamOption = z
  .object({ name: z.string().optional().openapi({ maxLength: 255 }), ...rights })
  .openapi("EditTeamOption");
export type TeamOptionJson = z.infer<typeof EditTeamOption>;
