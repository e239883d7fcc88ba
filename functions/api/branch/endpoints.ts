import { isRepositoryAdmin } from "#core/access/modes";
import { getBranch, listBranches } from "#core/branch/branch";
import { createBranch, moveBranch, removeBranch, renameBranch } from "#core/branch/change";
import { defined } from "#core/defined";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { writesCode } from "../repository/needs.ts";
import { Branch, CreateBranchRepoOption, RenameBranchRepoOption, UpdateBranchRepoOption } from "./schema.ts";
import { showBranch, showBranches } from "./show.ts";

const repoListBranches = endpoint({
  id: "repoListBranches",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/branches",
  summary: "List a repository's branches",
  cost: "heavy",
  needs: { scope: ["repository"], repository: { mode: "read", unit: "code" } },
  query: { q: text.openapi({ description: "a part of the name" }) },
  status: 200,
  returns: { list: Branch },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, query, page } = request;
    const asked = { ...page, ...defined({ keyword: query.q }) };
    const { items, total } = await listBranches(forge, access.repository.id, asked);
    return { items: await showBranches(request, items), total };
  },
});

const repoGetBranch = endpoint({
  id: "repoGetBranch",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/branches/{branch}",
  summary: "Get a branch with the commit that it points at",
  cost: "heavy",
  needs: { scope: ["repository"], repository: { mode: "read", unit: "code" } },
  slashed: "branch",
  status: 200,
  returns: { json: Branch },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const branch = await getBranch(forge, access.repository.id, params.branch);
    return showBranch(request, branch);
  },
});

const repoCreateBranch = endpoint({
  id: "repoCreateBranch",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/branches",
  summary: "Make a branch",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  body: CreateBranchRepoOption,
  status: 201,
  returns: { json: Branch },
  errors: [401, 403, 404, 409, 422, 423],
  handle: async (request) => {
    const { forge, actor, access, body } = request;
    const { new_branch_name: name, old_ref_name, old_branch_name } = body;
    await createBranch(forge, access.repository, actor, {
      name,
      ...defined({ fromRef: old_ref_name || undefined, fromBranch: old_branch_name || undefined }),
    });
    const branch = await getBranch(forge, access.repository.id, name);
    return showBranch(request, branch);
  },
});

const repoUpdateBranch = endpoint({
  id: "repoUpdateBranch",
  originalId: "repoRenameBranch",
  tag: "repository",
  method: "patch",
  path: "/repos/{owner}/{repo}/branches/{branch}",
  summary: "Give a branch another name; the default branch stays the default",
  needs: writesCode,
  refusesArchived: true,
  slashed: "branch",
  body: RenameBranchRepoOption,
  status: 204,
  errors: [401, 403, 404, 409, 422, 423],
  handle: async ({ forge, actor, access, params, body }) => {
    const isByAdministrator = isRepositoryAdmin(access.rights);
    const renaming = { name: params.branch, to: body.name, isByAdministrator };
    await renameBranch(forge, access.repository, actor, renaming);
    return undefined;
  },
});

const repoUpdateBranchReference = endpoint({
  id: "repoUpdateBranchReference",
  originalId: "repoUpdateBranch",
  tag: "repository",
  method: "put",
  path: "/repos/{owner}/{repo}/branches/{branch}",
  summary: "Point a branch at another commit of the repository",
  cost: "heavy",
  needs: writesCode,
  refusesArchived: true,
  slashed: "branch",
  body: UpdateBranchRepoOption,
  status: 204,
  errors: [401, 403, 404, 409, 422, 423],
  handle: async ({ forge, actor, access, params, body }) => {
    const { new_commit_id: to, old_commit_id, force = false } = body;
    const from = old_commit_id ? { from: old_commit_id } : {};
    const move = { name: params.branch, to, ...from, isForced: force };
    await moveBranch(forge, access.repository, actor, move);
    return undefined;
  },
});

const repoDeleteBranch = endpoint({
  id: "repoDeleteBranch",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/branches/{branch}",
  summary: "Delete a branch that is not the default one",
  needs: writesCode,
  refusesArchived: true,
  slashed: "branch",
  status: 204,
  errors: [401, 403, 404, 409, 423],
  handle: async ({ forge, actor, access, params }) => {
    await removeBranch(forge, access.repository, actor, params.branch);
    return undefined;
  },
});

export const branchEndpoints = [
  repoListBranches,
  repoGetBranch,
  repoCreateBranch,
  repoUpdateBranch,
  repoUpdateBranchReference,
  repoDeleteBranch,
];
