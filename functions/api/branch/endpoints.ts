import * as branches from "#core/branch/branch";
import { peopleOf } from "../commit/people.ts";
import { endpoint } from "../endpoint.ts";
import { text } from "../query.ts";
import { viewOf } from "../view.ts";
import { presentBranch } from "./present.ts";
import { Branch } from "./schema.ts";

const repoListBranches = endpoint({
  id: "repoListBranches",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/branches",
  summary: "List a repository's branches",
  needs: { scope: ["repository"], repository: { mode: "read", unit: "code" } },
  query: { q: text.openapi({ description: "a part of the name" }) },
  status: 200,
  returns: { list: Branch },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, query, page } = request;
    const asked = { ...page, ...(query.q === undefined ? {} : { keyword: query.q }) };
    const { items, total } = await branches.list(forge, access.repository.id, asked);
    const people = await peopleOf(request, items);
    return { items: items.map((branch) => presentBranch(viewOf(request), access, branch, people)), total };
  },
});

const repoGetBranch = endpoint({
  id: "repoGetBranch",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/branches/{branch}",
  summary: "Get a branch with the commit that it points at",
  needs: { scope: ["repository"], repository: { mode: "read", unit: "code" } },
  slashed: "branch",
  status: 200,
  returns: { json: Branch },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const branch = await branches.get(forge, access.repository.id, params.branch);
    return presentBranch(viewOf(request), access, branch, await peopleOf(request, [branch]));
  },
});

export const branchEndpoints = [repoListBranches, repoGetBranch];
