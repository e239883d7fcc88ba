import { mailChoices } from "#core/config/mail";
import { z } from "#zod";
import { dateTime, givenDateTime } from "../../http/timestamps.ts";

export const User = z
  .object({
    id: z.int(),
    login: z.string(),
    username: z.string().openapi({ description: "the same as login" }),
    login_name: z.string(),
    source_id: z.int(),
    full_name: z.string(),
    email: z.string(),
    avatar_url: z.string(),
    html_url: z.string(),
    language: z.string(),
    is_admin: z.boolean(),
    last_login: dateTime,
    created: dateTime,
    restricted: z.boolean(),
    active: z.boolean(),
    prohibit_login: z.boolean(),
    location: z.string(),
    pronouns: z.string(),
    website: z.string(),
    description: z.string(),
    visibility: z.string(),
    followers_count: z.int(),
    following_count: z.int(),
    starred_repos_count: z.int(),
  })
  .openapi("User");
export type UserJson = z.infer<typeof User>;

const visibility = z.enum(["", "public", "limited", "private"]).optional();

export const CreateUserOption = z
  .object({
    username: z.string().min(1).openapi({ maxLength: 40 }),
    email: z.string().min(1).openapi({ maxLength: 254 }),
    password: z.string().optional(),
    full_name: z.string().optional().openapi({ maxLength: 100 }),
    login_name: z.string().optional(),
    source_id: z.int().min(0).optional(),
    must_change_password: z.boolean().optional().openapi({ description: "true unless said otherwise" }),
    restricted: z.boolean().optional(),
    send_notify: z
      .boolean()
      .optional()
      .openapi({ description: "taken and ignored: new accounts get no mail" }),
    visibility,
    created_at: givenDateTime.optional(),
  })
  .openapi("CreateUserOption");

const profile = {
  full_name: z.string().optional().openapi({ maxLength: 100 }),
  website: z.string().optional().openapi({ maxLength: 255 }),
  description: z.string().optional().openapi({ maxLength: 255 }),
  location: z.string().optional().openapi({ maxLength: 50 }),
  pronouns: z.string().optional().openapi({ maxLength: 50 }),
  hide_email: z.boolean().optional(),
};

export const EditUserOption = z
  .object({
    ...profile,
    source_id: z.int().min(0).optional().openapi({ description: "together with login_name" }),
    login_name: z.string().optional().openapi({ description: "together with source_id" }),
    email: z.string().optional().openapi({ description: "becomes the primary address", maxLength: 254 }),
    password: z.string().optional().openapi({ description: "empty: stays as it is" }),
    must_change_password: z.boolean().optional(),
    active: z.boolean().optional(),
    admin: z.boolean().optional(),
    prohibit_login: z.boolean().optional(),
    restricted: z.boolean().optional(),
    visibility,
    max_repo_creation: z
      .int()
      .min(-1)
      .max(1_000_000)
      .optional()
      .openapi({ description: "how many repositories the user may own; -1: the instance's limit" }),
    allow_create_organization: z.boolean().optional(),
    allow_git_hook: z.boolean().optional().openapi({ description: "taken and ignored: there are none" }),
    allow_import_local: z.boolean().optional().openapi({ description: "taken and ignored: there is none" }),
  })
  .openapi("EditUserOption");
export type EditUserJson = z.infer<typeof EditUserOption>;

export const RenameUserOption = z
  .object({ new_username: z.string().min(1).openapi({ maxLength: 40 }) })
  .openapi("RenameUserOption");

export const Email = z
  .object({
    email: z.string(),
    verified: z.boolean(),
    primary: z.boolean(),
    user_id: z.int(),
    username: z.string(),
  })
  .openapi("Email");
export type EmailJson = z.infer<typeof Email>;

export const CreateEmailOption = z
  .object({ emails: z.array(z.string()).max(20) })
  .openapi("CreateEmailOption");

export const DeleteEmailOption = z
  .object({ emails: z.array(z.string()).max(20) })
  .openapi("DeleteEmailOption");

const settings = {
  full_name: z.string(),
  website: z.string(),
  description: z.string(),
  location: z.string(),
  pronouns: z.string(),
  language: z.string(),
  theme: z.string(),
  diff_view_style: z.string(),
  enable_repo_unit_hints: z.boolean(),
  hide_email: z.boolean(),
  hide_pronouns: z.boolean(),
  hide_activity: z.boolean(),
  email_notifications: z.enum(mailChoices).openapi({
    description: "what is mailed of notifications; nothing while the installation sends no mail",
  }),
};

export const UserSettings = z.object(settings).openapi("UserSettings");
export type UserSettingsJson = z.infer<typeof UserSettings>;

export const UserSettingsOptions = z
  .object({
    ...profile,
    language: z.string().optional().openapi({ maxLength: 35 }),
    theme: z.string().optional().openapi({ maxLength: 255 }),
    diff_view_style: z.enum(["", "unified", "split"]).optional(),
    enable_repo_unit_hints: z.boolean().optional(),
    hide_pronouns: z.boolean().optional(),
    hide_activity: z.boolean().optional(),
    email_notifications: z
      .enum(mailChoices)
      .optional()
      .openapi({
        description:
          "what is mailed of notifications: all (enabled), only what names the user (onmention), all and what the " +
          "user does (andyourown), or nothing (disabled)",
      }),
  })
  .openapi("UserSettingsOptions");
export type UserSettingsOptionsJson = z.infer<typeof UserSettingsOptions>;

export const UserSearchResults = z
  .object({ ok: z.boolean(), data: z.array(User) })
  .openapi("UserSearchResults");
