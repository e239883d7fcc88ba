import { defined } from "#core/defined";
import type { OrganizationProfile } from "#core/organization/create";
import type { z } from "#zod";
import type { EditOrgOption } from "./schema.ts";

/** A body's description of an organization, in core's terms. */
export function profileFrom(body: z.infer<typeof EditOrgOption>): OrganizationProfile {
  return {
    ...defined({
      fullName: body.full_name,
      email: body.email,
      description: body.description,
      website: body.website,
      location: body.location,
    }),
    ...defined({
      visibility: body.visibility || undefined,
      letsAdminsChangeTeams: body.repo_admin_change_team_access,
    }),
  };
}
