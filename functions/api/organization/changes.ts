import type { z } from "@hono/zod-openapi";
import type { OrganizationProfile } from "#core/organization/create";
import type { EditOrgOption } from "./schema.ts";

/** A body's description of an organization, in core's terms. */
export function profileFrom(body: z.infer<typeof EditOrgOption>): OrganizationProfile {
  return {
    ...(body.full_name === undefined ? {} : { fullName: body.full_name }),
    ...(body.email === undefined ? {} : { email: body.email }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.website === undefined ? {} : { website: body.website }),
    ...(body.location === undefined ? {} : { location: body.location }),
    ...(body.visibility ? { visibility: body.visibility } : {}),
    ...(body.repo_admin_change_team_access === undefined
      ? {}
      : { letsAdminsChangeTeams: body.repo_admin_change_team_access }),
  };
}
