import {
  addQuotaGroupRule,
  createQuotaGroup,
  getQuotaGroup,
  listQuotaGroups,
  removeQuotaGroup,
  removeQuotaGroupRule,
} from "#core/quota/group";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentGroup } from "./present.ts";
import { CreateQuotaGroupOptions, QuotaGroup } from "./schema.ts";

const admin = { tag: "admin", needs: { scope: ["admin"], siteAdmin: true } } as const;

const adminListQuotaGroups = endpoint({
  ...admin,
  id: "adminListQuotaGroups",
  method: "get",
  path: "/admin/quota/groups",
  summary: "List the groups of the quota, by name",
  status: 200,
  returns: { list: QuotaGroup, named: "QuotaGroupList" },
  errors: [401, 403],
  handle: async ({ forge, page }) => wholeUnlessAsked((await listQuotaGroups(forge)).map(presentGroup), page),
});

const adminCreateQuotaGroup = endpoint({
  ...admin,
  id: "adminCreateQuotaGroup",
  method: "post",
  path: "/admin/quota/groups",
  summary: "Create a group of rules",
  body: CreateQuotaGroupOptions,
  withoutBody: "refused",
  status: 201,
  returns: { json: QuotaGroup },
  errors: [401, 403, 409, 422],
  handle: async ({ forge, body }) => presentGroup(await createQuotaGroup(forge, body.name, body.rules ?? [])),
});

const adminGetQuotaGroup = endpoint({
  ...admin,
  id: "adminGetQuotaGroup",
  method: "get",
  path: "/admin/quota/groups/{quotagroup}",
  summary: "Get a group by its name",
  status: 200,
  returns: { json: QuotaGroup },
  errors: [401, 403, 404],
  handle: async ({ forge, params }) => presentGroup(await getQuotaGroup(forge, params.quotagroup)),
});

const adminDeleteQuotaGroup = endpoint({
  ...admin,
  id: "adminDeleteQuotaGroup",
  method: "delete",
  path: "/admin/quota/groups/{quotagroup}",
  summary: "Delete a group; everybody leaves it, its rules stay",
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, params }) => {
    await removeQuotaGroup(forge, params.quotagroup);
    return undefined;
  },
});

const adminAddRuleToQuotaGroup = endpoint({
  ...admin,
  id: "adminAddRuleToQuotaGroup",
  method: "put",
  path: "/admin/quota/groups/{quotagroup}/rules/{quotarule}",
  summary: "Add a rule to a group",
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, params }) => {
    await addQuotaGroupRule(forge, params.quotagroup, params.quotarule);
    return undefined;
  },
});

const adminRemoveRuleFromQuotaGroup = endpoint({
  ...admin,
  id: "adminRemoveRuleFromQuotaGroup",
  method: "delete",
  path: "/admin/quota/groups/{quotagroup}/rules/{quotarule}",
  summary: "Take a rule out of a group; it stays a rule",
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, params }) => {
    await removeQuotaGroupRule(forge, params.quotagroup, params.quotarule);
    return undefined;
  },
});

export const quotaGroupEndpoints = [
  adminListQuotaGroups,
  adminCreateQuotaGroup,
  adminGetQuotaGroup,
  adminDeleteQuotaGroup,
  adminAddRuleToQuotaGroup,
  adminRemoveRuleFromQuotaGroup,
];
