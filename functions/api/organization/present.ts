import type { Organization } from "#core/organization/organization.table";
import type { Owner } from "#core/owner/owner";
import { avatarLink, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp, unsetTimestamp } from "../../http/timestamps.ts";
import { presentUser } from "../user/present.ts";
import type { UserJson } from "../user/schema.ts";
import type { OrganizationJson } from "./schema.ts";

/** The organization as the caller may see it: anonymous callers don't see its e-mail address (semantics §25). */
export function presentOrganization(view: View, organization: Organization): OrganizationJson {
  return {
    id: organization.id,
    name: organization.name,
    username: organization.name,
    full_name: organization.fullName,
    email: shownEmail(view, organization),
    avatar_url: avatarLink(view.config, organization),
    description: organization.description,
    website: organization.website,
    location: organization.location,
    visibility: organization.visibility,
    repo_admin_change_team_access: organization.letsAdminsChangeTeams,
  };
}

/** An owner of repositories in the family's form for users. */
export const presentOwner = (view: View, owner: Owner): UserJson =>
  owner.kind === "user" ? presentUser(view, owner) : presentAsUser(view, owner);

function presentAsUser(view: View, organization: Organization): UserJson {
  return {
    id: organization.id,
    login: organization.name,
    username: organization.name,
    login_name: "",
    source_id: 0,
    full_name: organization.fullName,
    email: shownEmail(view, organization),
    avatar_url: avatarLink(view.config, organization),
    html_url: linkTo(view.config, organization.name),
    language: "",
    is_admin: false,
    last_login: unsetTimestamp,
    created: timestamp(organization.createdAt),
    restricted: false,
    active: false,
    prohibit_login: false,
    location: organization.location,
    pronouns: "",
    website: organization.website,
    description: organization.description,
    visibility: organization.visibility,
    followers_count: 0,
    following_count: 0,
    starred_repos_count: 0,
  };
}

const shownEmail = ({ actor }: View, { email }: Organization) => (actor === undefined ? "" : email);
