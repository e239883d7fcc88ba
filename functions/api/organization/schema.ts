import { z } from "#zod";

const visibility = z.enum(["public", "limited", "private"]);
/** Empty counts as absent, because clients of the family send it. */
const visibilityOption = z.enum(["", "public", "limited", "private"]).optional();

export const Organization = z
  .object({
    id: z.int(),
    name: z.string(),
    username: z.string().openapi({ description: "the same as name", deprecated: true }),
    full_name: z.string(),
    email: z.string(),
    avatar_url: z.string(),
    description: z.string(),
    website: z.string(),
    location: z.string(),
    visibility,
    repo_admin_change_team_access: z.boolean(),
  })
  .openapi("Organization");
export type OrganizationJson = z.infer<typeof Organization>;

const profile = {
  full_name: z.string().optional().openapi({ maxLength: 100 }),
  email: z.string().optional().openapi({ maxLength: 255 }),
  description: z.string().optional().openapi({ maxLength: 255 }),
  website: z.string().optional().openapi({ maxLength: 255 }),
  location: z.string().optional().openapi({ maxLength: 50 }),
  visibility: visibilityOption,
  repo_admin_change_team_access: z.boolean().optional(),
};

export const CreateOrgOption = z
  .object({ username: z.string().min(1).openapi({ maxLength: 40 }), ...profile })
  .openapi("CreateOrgOption");

export const EditOrgOption = z.object(profile).openapi("EditOrgOption");

export const RenameOrgOption = z.object({ new_name: z.string().min(1) }).openapi("RenameOrgOption");

export const UpdateUserAvatarOption = z
  .object({ image: z.string().min(1).openapi({ description: "a PNG, JPEG, GIF or WebP picture in base64" }) })
  .openapi("UpdateUserAvatarOption");

export const OrganizationPermissions = z
  .object({
    can_create_repository: z.boolean(),
    can_read: z.boolean(),
    can_write: z.boolean(),
    is_admin: z.boolean(),
    is_owner: z.boolean(),
  })
  .openapi("OrganizationPermissions");
