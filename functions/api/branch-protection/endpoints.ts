import type { RepositoryAccess } from "#core/access/repository-access";
import {
  createBranchProtection,
  defaultProtectionSettings,
  editBranchProtection,
  getBranchProtection,
  listBranchProtections,
  orderBranchProtections,
  removeBranchProtection,
} from "#core/branch-protection/branch-protection";
import type { BranchProtection as StoredProtection } from "#core/branch-protection/branch-protection.table";
import { openCode } from "#core/code/open";
import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";
import { namesIn } from "./names.ts";
import { presentProtection } from "./present.ts";
import {
  BranchProtection,
  type BranchProtectionJson,
  CreateBranchProtectionOption,
  EditBranchProtectionOption,
  UpdateBranchProtectionPriories,
} from "./schema.ts";
import { settingsFrom } from "./settings.ts";

/**
 * The needs of operations that read rules, and of the one that removes a rule: an archived repository allows it
 * (semantics §1.8).
 */
const reads = { scope: ["repository"], login: true, repository: { mode: "admin" } } as const;
const writes = {
  scope: ["repository"],
  login: true,
  repository: { mode: "admin" },
} as const;

async function present(
  { forge, access }: { readonly forge: Forge; readonly access: RepositoryAccess },
  rules: readonly StoredProtection[],
): Promise<BranchProtectionJson[]> {
  const lists = rules.flatMap(({ pushers, mergers, approvers }) => [pushers, mergers, approvers]);
  const names = await namesIn(forge, access, lists);
  const { repository } = await openCode(forge, access.repository.id);
  return rules.map((rule) =>
    presentProtection(rule, names, repository.refs.find(`refs/heads/${rule.ruleName}`) !== undefined),
  );
}

const repoListBranchProtection = endpoint({
  id: "repoListBranchProtection",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/branch_protections",
  summary: "List the rules that protect branches, those that count first in front",
  needs: reads,
  status: 200,
  returns: { json: z.array(BranchProtection) },
  errors: [401, 403, 404],
  handle: async (request) =>
    present(request, await listBranchProtections(request.forge, request.access.repository.id)),
});

const repoGetBranchProtection = endpoint({
  id: "repoGetBranchProtection",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/branch_protections/{name}",
  summary: "Get a rule by its name",
  needs: reads,
  slashed: "name",
  status: 200,
  returns: { json: BranchProtection },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const rule = await getBranchProtection(forge, access.repository.id, params.name);
    return (await present(request, [rule]))[0] as BranchProtectionJson;
  },
});

const repoCreateBranchProtection = endpoint({
  id: "repoCreateBranchProtection",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/branch_protections",
  summary: "Protect a branch, or those that a glob names",
  needs: writes,
  refusesArchived: true,
  body: CreateBranchProtectionOption,
  status: 201,
  returns: { json: BranchProtection },
  errors: [400, 401, 403, 404, 422, 423],
  handle: async (request) => {
    const { forge, access, body } = request;
    const { rule_name, branch_name, ...settings } = body;
    const name = rule_name || branch_name;
    if (!name) throw badRequest("rule_name is required: a branch, or a glob such as release/**");
    const change = await settingsFrom(request, settings, defaultProtectionSettings);
    const made = change(defaultProtectionSettings);
    const rule = await createBranchProtection(forge, access.repository.id, name, made);
    return (await present(request, [rule]))[0] as BranchProtectionJson;
  },
});

const repoEditBranchProtection = endpoint({
  id: "repoEditBranchProtection",
  tag: "repository",
  method: "patch",
  path: "/repos/{owner}/{repo}/branch_protections/{name}",
  summary: "Edit a rule; absent fields stay as they are",
  needs: writes,
  refusesArchived: true,
  slashed: "name",
  body: EditBranchProtectionOption,
  status: 200,
  returns: { json: BranchProtection },
  errors: [401, 403, 404, 409, 422, 423],
  handle: async (request) => {
    const { forge, access, params, body } = request;
    const current = await getBranchProtection(forge, access.repository.id, params.name);
    const change = await settingsFrom(request, body, current);
    const rule = await editBranchProtection(forge, access.repository.id, params.name, change);
    return (await present(request, [rule]))[0] as BranchProtectionJson;
  },
});

const repoDeleteBranchProtection = endpoint({
  id: "repoDeleteBranchProtection",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/branch_protections/{name}",
  summary: "Remove a rule",
  needs: reads,
  slashed: "name",
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, access, params }) => {
    await removeBranchProtection(forge, access.repository.id, params.name);
    return undefined;
  },
});

const repoUpdateBranchProtectionPriories = endpoint({
  id: "repoUpdateBranchProtectionPriories",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/branch_protections/priority",
  summary: "Put rules into order; those that are not named come behind",
  needs: writes,
  refusesArchived: true,
  body: UpdateBranchProtectionPriories,
  status: 204,
  errors: [401, 403, 404, 409, 422, 423],
  handle: async ({ forge, access, body }) => {
    await orderBranchProtections(forge, access.repository.id, body.ids);
    return undefined;
  },
});

export const branchProtectionEndpoints = [
  repoListBranchProtection,
  repoGetBranchProtection,
  repoCreateBranchProtection,
  repoEditBranchProtection,
  repoDeleteBranchProtection,
  repoUpdateBranchProtectionPriories,
];
