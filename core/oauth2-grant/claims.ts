import type { Actor } from "../actor.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { listOwnTeams } from "../team/list.ts";
import { type EmailAddress, emailAddressKey, type User } from "../user/user.table.ts";

/** The name that people see. */
export const shownName = ({ fullName, name }: User): string => fullName || name;

/** A page or picture of a user. */
export interface UserLinks {
  readonly page: string;
  readonly picture: string;
}

/** What an id token says of a user with `profile` (OpenID Connect Core, section 5.1). */
export const profileClaims = (user: User, { page, picture }: UserLinks) => ({
  name: shownName(user),
  preferred_username: user.name,
  profile: page,
  picture,
  website: user.website,
  locale: user.language,
  updated_at: user.updatedAt,
});

/** What it says with `email`. */
export async function emailClaims({ table }: Pick<Forge, "table">, { id, email }: User) {
  const address = await table.get<EmailAddress>(emailAddressKey(id, email));
  return { email, email_verified: address?.isVerified === true };
}

/** What it says with `groups`: the user's organizations, and their teams as `organization:team`. */
export async function groupClaims(forge: Forge, user: User, isPublicOnly: boolean): Promise<string[]> {
  const grant = { tokenId: 0, holderId: user.id, isMinted: true, scopes: [], isPublicOnly };
  const actor: Actor = { user, ...defined({ grant: isPublicOnly ? grant : undefined }) };
  const teams = await listOwnTeams(forge, actor);
  const names = teams.flatMap(({ team, organization }) => [
    organization.name,
    `${organization.name}:${team.name}`,
  ]);
  return [...new Set(names)];
}
