import { unprocessable } from "#core/errors";
import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";

/** A picture beside a user's name. The family's API creates none, so there is none here. */
const Badge = z
  .object({ id: z.int(), slug: z.string(), description: z.string(), image_url: z.string() })
  .openapi("Badge");
const UserBadgeOption = z
  .object({ badge_slugs: z.array(z.string()).max(100).optional() })
  .openapi("UserBadgeOption");

const common = {
  tag: "admin",
  path: "/admin/users/{username}/badges",
  description: "There are no badges: no operation creates one. See docs/differences.md.",
  needs: { scope: ["admin"], siteAdmin: true, user: "account" },
} as const;

const adminListUserBadges = endpoint({
  ...common,
  id: "adminListUserBadges",
  method: "get",
  summary: "List the badges of a user",
  status: 200,
  returns: { json: z.array(Badge) },
  errors: [401, 403, 404, 422],
  handle: async () => [],
});

/** No badge that could be named exists. */
async function requireNone({ badge_slugs: slugs = [] }: z.infer<typeof UserBadgeOption>): Promise<undefined> {
  if (slugs.length > 0) throw unprocessable(`badge does not exist [slug: ${slugs[0]}]`);
  return undefined;
}

const adminAddUserBadges = endpoint({
  ...common,
  id: "adminAddUserBadges",
  method: "post",
  summary: "Give a user badges",
  body: UserBadgeOption,
  status: 204,
  errors: [401, 403, 404, 422],
  handle: ({ body }) => requireNone(body),
});

const adminDeleteUserBadges = endpoint({
  ...common,
  id: "adminDeleteUserBadges",
  method: "delete",
  summary: "Take badges from a user",
  body: UserBadgeOption,
  status: 204,
  errors: [401, 403, 404, 422],
  handle: ({ body }) => requireNone(body),
});

export const badgeEndpoints = [adminListUserBadges, adminAddUserBadges, adminDeleteUserBadges];
