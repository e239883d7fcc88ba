import { defined } from "#core/defined";
import {
  createQuotaRule,
  editQuotaRule,
  getQuotaRule,
  listQuotaRules,
  removeQuotaRule,
} from "#core/quota/rule";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentRule } from "./present.ts";
import { CreateQuotaRuleOptions, EditQuotaRuleOptions, QuotaRuleInfo } from "./schema.ts";

const admin = { tag: "admin", needs: { scope: ["admin"], siteAdmin: true } } as const;

const adminListQuotaRules = endpoint({
  ...admin,
  id: "adminListQuotaRules",
  method: "get",
  path: "/admin/quota/rules",
  summary: "List the rules of the quota, by name",
  status: 200,
  returns: { list: QuotaRuleInfo },
  errors: [401, 403],
  handle: async ({ forge, page }) => wholeUnlessAsked((await listQuotaRules(forge)).map(presentRule), page),
});

const adminCreateQuotaRule = endpoint({
  ...admin,
  id: "adminCreateQuotaRule",
  method: "post",
  path: "/admin/quota/rules",
  summary: "Create a rule: a limit on the sum of some subjects",
  body: CreateQuotaRuleOptions,
  withoutBody: "refused",
  status: 201,
  returns: { json: QuotaRuleInfo },
  errors: [401, 403, 409, 422],
  handle: async ({ forge, body }) =>
    presentRule(await createQuotaRule(forge, { ...body, subjects: body.subjects ?? [] })),
});

const adminGetQuotaRule = endpoint({
  ...admin,
  id: "adminGetQuotaRule",
  method: "get",
  path: "/admin/quota/rules/{quotarule}",
  summary: "Get a rule by its name",
  status: 200,
  returns: { json: QuotaRuleInfo },
  errors: [401, 403, 404],
  handle: async ({ forge, params }) => presentRule(await getQuotaRule(forge, params.quotarule)),
});

const adminEditQuotaRule = endpoint({
  ...admin,
  id: "adminEditQuotaRule",
  method: "patch",
  path: "/admin/quota/rules/{quotarule}",
  summary: "Edit a rule; absent fields stay as they are",
  body: EditQuotaRuleOptions,
  status: 200,
  returns: { json: QuotaRuleInfo },
  errors: [401, 403, 404, 422],
  handle: async ({ forge, params, body }) =>
    presentRule(await editQuotaRule(forge, params.quotarule, defined(body))),
});

const adminDEleteQuotaRule = endpoint({
  ...admin,
  id: "adminDEleteQuotaRule",
  method: "delete",
  path: "/admin/quota/rules/{quotarule}",
  summary: "Delete a rule; groups lose it",
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, params }) => {
    await removeQuotaRule(forge, params.quotarule);
    return undefined;
  },
});

export const quotaRuleEndpoints = [
  adminListQuotaRules,
  adminCreateQuotaRule,
  adminGetQuotaRule,
  adminEditQuotaRule,
  adminDEleteQuotaRule,
];
