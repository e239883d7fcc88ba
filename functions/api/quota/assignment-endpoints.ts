import {
  addQuotaGroupOwner,
  listQuotaGroupOwners,
  removeQuotaGroupOwner,
  setQuotaGroups,
} from "#core/quota/assignment";
import { readQuota } from "#core/quota/quota";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentOwner } from "../organization/present.ts";
import { User } from "../user/schema.ts";
import { presentQuota } from "./present.ts";
import { QuotaInfo, SetUserQuotaGroupsOptions } from "./schema.ts";

const scope = ["admin"] as const;
const admin = { tag: "admin", needs: { scope, siteAdmin: true } } as const;
const ofOwner = { tag: "admin", needs: { scope, siteAdmin: true, user: "owner" } } as const;

const adminListUsersInQuotaGroup = endpoint({
  ...admin,
  id: "adminListUsersInQuotaGroup",
  method: "get",
  path: "/admin/quota/groups/{quotagroup}/users",
  summary: "List the users and organizations in a group",
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, params, page } = request;
    const { owners, total } = await listQuotaGroupOwners(forge, params.quotagroup, page);
    return { items: owners.map((owner) => presentOwner(viewOf(request), owner)), total };
  },
});

const adminAddUserToQuotaGroup = endpoint({
  ...ofOwner,
  id: "adminAddUserToQuotaGroup",
  method: "put",
  path: "/admin/quota/groups/{quotagroup}/users/{username}",
  summary: "Put a user or an organization into a group: the default groups don't count for them any more",
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, params, user }) => {
    await addQuotaGroupOwner(forge, params.quotagroup, user);
    return undefined;
  },
});

const adminRemoveUserFromQuotaGroup = endpoint({
  ...ofOwner,
  id: "adminRemoveUserFromQuotaGroup",
  method: "delete",
  path: "/admin/quota/groups/{quotagroup}/users/{username}",
  summary: "Take a user or an organization out of a group",
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, params, user }) => {
    await removeQuotaGroupOwner(forge, params.quotagroup, user);
    return undefined;
  },
});

const adminGetUserQuota = endpoint({
  ...ofOwner,
  id: "adminGetUserQuota",
  method: "get",
  path: "/admin/users/{username}/quota",
  summary: "Get what a user or an organization uses, and the groups and rules that limit it",
  status: 200,
  returns: { json: QuotaInfo },
  errors: [401, 403, 404],
  handle: async ({ forge, user }) => presentQuota(await readQuota(forge, user.id), { isNamed: true }),
});

const adminSetUserQuotaGroups = endpoint({
  ...ofOwner,
  id: "adminSetUserQuotaGroups",
  method: "post",
  path: "/admin/users/{username}/quota/groups",
  summary: "Put a user or an organization into these groups and no others; none: into the default ones",
  body: SetUserQuotaGroupsOptions,
  withoutBody: "refused",
  status: 204,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, user, body }) => {
    await setQuotaGroups(forge, user, body.groups);
    return undefined;
  },
});

export const quotaAssignmentEndpoints = [
  adminListUsersInQuotaGroup,
  adminAddUserToQuotaGroup,
  adminRemoveUserFromQuotaGroup,
  adminGetUserQuota,
  adminSetUserQuotaGroups,
];
