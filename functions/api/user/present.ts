import { createHash } from "node:crypto";
import { noReplyEmail } from "#core/user/user";
import type { User } from "#core/user/user.table";
import { linkTo, timestamp, unsetTimestamp, type View } from "../view.ts";
import type { UserJson } from "./schema.ts";

/** The user as the caller may see him (semantics §3.4): private fields only for himself and administrators. */
export function presentUser(view: View, user: User): UserJson {
  const { config, actor } = view;
  const isPrivileged = actor !== undefined && (actor.user.isAdmin || actor.user.id === user.id);
  const showsEmail = isPrivileged || (actor !== undefined && !user.isEmailHidden);
  return {
    id: user.id,
    login: user.name,
    username: user.name,
    login_name: isPrivileged ? user.loginName : "",
    source_id: isPrivileged ? user.loginSourceId : 0,
    full_name: user.fullName,
    email: showsEmail ? user.email : hiddenEmail(view, user),
    avatar_url: linkTo(
      config,
      "avatars",
      createHash("sha256").update(user.email.toLowerCase()).digest("hex"),
    ),
    html_url: linkTo(config, user.name),
    language: isPrivileged ? user.language : "",
    is_admin: isPrivileged && user.isAdmin,
    last_login: isPrivileged && user.lastLoginAt > 0 ? timestamp(user.lastLoginAt) : unsetTimestamp,
    created: timestamp(user.createdAt),
    restricted: isPrivileged && user.isRestricted,
    active: isPrivileged && user.isActive,
    prohibit_login: isPrivileged && user.isLoginProhibited,
    location: user.location,
    pronouns: user.pronouns,
    website: user.website,
    description: user.description,
    visibility: user.visibility,
    followers_count: 0,
    following_count: 0,
    starred_repos_count: 0,
  };
}

/** The address shown instead of a hidden one. */
export const hiddenEmail = ({ config }: View, user: User): string => noReplyEmail(config, user);

/** Stands in for users that are gone. */
export const ghost: User = {
  pk: "",
  sk: "",
  kind: "user",
  id: -1,
  name: "Ghost",
  fullName: "",
  email: "ghost@localhost",
  passwordHash: "",
  isAdmin: false,
  isActive: true,
  isRestricted: false,
  isLoginProhibited: true,
  mustChangePassword: false,
  isEmailHidden: true,
  visibility: "public",
  loginSourceId: 0,
  loginName: "",
  location: "",
  website: "",
  pronouns: "",
  description: "",
  language: "",
  repositoryLimit: 0,
  createdAt: 0,
  updatedAt: 0,
  lastLoginAt: 0,
  v: 0,
  _v: 1,
};
