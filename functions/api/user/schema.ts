import { z } from "@hono/zod-openapi";

/** A time on the wire: RFC 3339. */
export const dateTime = z.string().openapi({ format: "date-time" });

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

export const CreateUserOption = z
  .object({
    username: z.string().min(1),
    email: z.string().min(1),
    password: z.string().optional(),
    full_name: z.string().optional(),
    login_name: z.string().optional(),
    source_id: z.int().optional(),
    must_change_password: z.boolean().optional(),
    restricted: z.boolean().optional(),
    send_notify: z.boolean().optional(),
    visibility: z.enum(["", "public", "limited", "private"]).optional(),
    created_at: z.iso.datetime({ offset: true }).optional(),
  })
  .openapi("CreateUserOption");
