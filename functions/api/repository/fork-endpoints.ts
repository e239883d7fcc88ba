import { findOwnerAccess, type OwnerAccess } from "#core/access/owner-access";
import type { Actor } from "#core/actor";
import { notFound, unprocessable } from "#core/errors";
import type { Forge } from "#core/forge";
import { detailsOfNew } from "#core/repository/details";
import { forkRepository } from "#core/repository/fork/fork";
import { listForksOf } from "#core/repository/fork/forks";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentListing, presentRepository } from "./present.ts";
import { CreateForkOption, Repository } from "./schema.ts";

const listForks = endpoint({
  id: "listForks",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/forks",
  summary: "List a repository's forks that the caller may see",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { list: Repository },
  errors: [404],
  handle: async (request) => {
    const { forge, actor, access, page } = request;
    // 4 MB of JSON hold no more rows than this (D-PAGING).
    const asked = page.isAsked ? page : { page: 1, limit: 1_000 };
    return presentListing(viewOf(request), await listForksOf(forge, actor, access.repository, asked));
  },
});

const createFork = endpoint({
  id: "createFork",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/forks",
  summary: "Fork a repository",
  cost: "heavy",
  needs: { scope: ["repository"], login: true, repository: { mode: "read", unit: "code" } },
  thingRights: async ({ forge }) => requireForks(forge),
  body: CreateForkOption,
  status: 202,
  returns: { json: Repository },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, actor, access, body } = request;
    requireForks(forge);
    const target = await targetOf(forge, actor, body.organization);
    const fork = await forkRepository(forge, actor, access, target, body.name || undefined);
    const details = await detailsOfNew(forge, actor, fork, target.owner);
    return presentRepository(viewOf(request), details);
  },
});

function requireForks({ config }: Forge): void {
  if (config.disableForks) throw notFound("repositories can't be forked here");
}

/** The owner of the new fork: the caller, or an organization. */
async function targetOf(forge: Forge, actor: Actor, organization = ""): Promise<OwnerAccess> {
  if (organization === "") return { owner: actor.user, mayCreateRepositories: true };
  const found = await findOwnerAccess(forge, actor, organization);
  if (found?.organization !== undefined) return found;
  throw unprocessable(`organization does not exist [name: ${organization}]`);
}

export const repositoryForkEndpoints = [listForks, createFork];
