import type { Config } from "#core/config";
import { mailChoiceOf } from "#core/mail/mail";
import { noReplyEmail } from "#core/user/email";
import type { EmailAddress, User } from "#core/user/user.table";
import { avatarLink, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp, unsetTimestamp } from "../../http/timestamps.ts";
import type { EmailJson, UserJson, UserSettingsJson } from "./schema.ts";

/** The user as the caller may see them (semantics §3.4): private fields only for the user and administrators. */
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
    avatar_url: avatarLink(config, user),
    html_url: linkTo(config, user.name),
    language: isPrivileged ? user.language : "",
    is_admin: isPrivileged && user.isAdmin,
    last_login: isPrivileged && user.lastLoginAt > 0 ? timestamp(user.lastLoginAt) : unsetTimestamp,
    created: timestamp(user.createdAt),
    restricted: isPrivileged && user.isRestricted,
    active: isPrivileged && user.isActive,
    prohibit_login: isPrivileged && user.isLoginProhibited,
    location: user.location,
    pronouns: user.arePronounsHidden === true && actor === undefined ? "" : user.pronouns,
    website: user.website,
    description: user.description,
    visibility: user.visibility,
    followers_count: user.followers ?? 0,
    following_count: user.following ?? 0,
    starred_repos_count: user.starred ?? 0,
  };
}

/** The address shown instead of a hidden one. */
const hiddenEmail = ({ config }: View, user: User): string => noReplyEmail(config, user);

/** One of a user's addresses. */
export const presentEmail = (
  { email, isVerified, isPrimary }: EmailAddress,
  { id, name }: User,
): EmailJson => ({ email, verified: isVerified, primary: isPrimary, user_id: id, username: name });

/** A user's own settings. */
export const presentSettings = (config: Config, user: User): UserSettingsJson => ({
  full_name: user.fullName,
  website: user.website,
  description: user.description,
  location: user.location,
  pronouns: user.pronouns,
  language: user.language,
  theme: user.theme ?? "",
  diff_view_style: user.diffViewStyle ?? "",
  enable_repo_unit_hints: user.hasNoUnitHints !== true,
  hide_email: user.isEmailHidden,
  hide_pronouns: user.arePronounsHidden === true,
  hide_activity: user.isActivityHidden === true,
  email_notifications: mailChoiceOf(config, user),
});
