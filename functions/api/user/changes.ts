import { defined } from "#core/defined";
import { unprocessable } from "#core/errors";
import type { UserChanges } from "#core/user/edit";
import type { EditUserJson, UserSettingsOptionsJson } from "./schema.ts";

/** An administrator's edit in core's terms. 422 when half of the login source is missing. */
export function changesFrom(body: EditUserJson): UserChanges {
  if ((body.source_id === undefined) !== (body.login_name === undefined)) {
    throw unprocessable("[SourceID]: source_id and login_name go together");
  }
  return {
    ...profileFrom(body),
    ...defined({
      loginSourceId: body.source_id,
      loginName: body.login_name,
      email: body.email,
      password: body.password || undefined,
      mustChangePassword: body.must_change_password,
      isActive: body.active,
      isAdmin: body.admin,
      isLoginProhibited: body.prohibit_login,
      isRestricted: body.restricted,
      visibility: body.visibility || undefined,
      repositoryLimit: body.max_repo_creation,
      mayNotCreateOrganizations: opposite(body.allow_create_organization),
    }),
  };
}

/** A user's own settings in core's terms. */
export const settingsFrom = (body: UserSettingsOptionsJson): UserChanges => ({
  ...profileFrom(body),
  ...defined({
    language: body.language,
    theme: body.theme,
    diffViewStyle: body.diff_view_style,
    hasNoUnitHints: opposite(body.enable_repo_unit_hints),
    arePronounsHidden: body.hide_pronouns,
    isActivityHidden: body.hide_activity,
    emailNotifications: body.email_notifications,
  }),
});

const profileFrom = (body: EditUserJson | UserSettingsOptionsJson): UserChanges =>
  defined({
    fullName: body.full_name,
    website: body.website,
    description: body.description,
    location: body.location,
    pronouns: body.pronouns,
    isEmailHidden: body.hide_email,
  });

const opposite = (value: boolean | undefined) => (value === undefined ? undefined : !value);
