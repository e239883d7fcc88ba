import type { OrganizationAccess } from "#core/access/organization-access";
import type { Actor } from "#core/actor";
import { unprocessable } from "#core/errors";
import type { Forge } from "#core/forge";
import { removeOrganizationRepositories } from "#core/organization/remove-repositories";
import { createRepositoryInOrganization, creatorWrites } from "#core/repository/create-in-organization";
import { detailsOfNew } from "#core/repository/details";
import { listRepositoriesOfOwner } from "#core/repository/listing/list";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { findNamedOrganization } from "../../http/needs/resolve-organization.ts";
import { newRepositoryFrom } from "../repository/changes.ts";
import { presentListing, presentRepository } from "../repository/present.ts";
import {
  type CreateRepoJson,
  CreateRepoOption,
  Repository,
  type RepositoryJson,
} from "../repository/schema.ts";

const orgListRepos = endpoint({
  id: "orgListRepos",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/repos",
  summary: "List an organization's repositories that the caller may see",
  needs: { scope: ["organization"], organization: "visible" },
  status: 200,
  returns: { list: Repository },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, actor, organization, page } = request;
    return presentListing(
      viewOf(request),
      await listRepositoriesOfOwner(forge, actor, organization.organization, page),
    );
  },
});

/** Two paths, one operation (D-PATHS). */
const creation = {
  tag: "organization",
  method: "post",
  thingRights: ({ forge, actor, organization }: Pick<CreationRequest, "forge" | "actor" | "organization">) =>
    creatorWrites(forge, actor, organization),
  body: CreateRepoOption,
  status: 201,
  returns: { json: Repository },
  errors: [400, 401, 403, 404, 409, 422],
} as const;

async function createRepository(request: CreationRequest): Promise<RepositoryJson> {
  const { forge, actor, organization, body } = request;
  const given = newRepositoryFrom(body);
  const created = await createRepositoryInOrganization(forge, actor, organization, given);
  const details = await detailsOfNew(forge, actor, created, organization.organization);
  return presentRepository(viewOf(request), details);
}

interface CreationRequest {
  readonly forge: Forge;
  readonly actor: Actor;
  readonly organization: OrganizationAccess;
  readonly body: CreateRepoJson;
}

const createOrgRepoCurrent = endpoint({
  ...creation,
  id: "createOrgRepoCurrent",
  originalId: "createOrgRepo",
  path: "/orgs/{org}/repos",
  summary: "Create a repository of an organization",
  needs: { scope: ["organization"], login: true, organization: "visible" },
  handle: createRepository,
});

const createOrgRepo = endpoint({
  ...creation,
  id: "createOrgRepo",
  originalId: "createOrgRepoDeprecated",
  path: "/org/{org}/repos",
  summary: "Create a repository of an organization: /orgs/{org}/repos is the usual path",
  description: "422 when there is no such organization, or it is hidden from the caller.",
  isDeprecated: true,
  needs: { scope: ["organization", "repository"], login: true },
  thingRights: async (request) =>
    creatorWrites(request.forge, request.actor, await knownOrganization(request)),
  handle: async (request) => {
    const { forge, actor, body } = request;
    return createRepository({ forge, actor, organization: await knownOrganization(request), body });
  },
});

/** The deprecated path answers an unknown organization like a wrong value: 422 (semantics §24.1). */
async function knownOrganization(request: {
  readonly forge: Forge;
  readonly actor: Actor;
  readonly params: { readonly org: string };
}): Promise<OrganizationAccess> {
  const { forge, actor, params } = request;
  const found = await findNamedOrganization(forge, actor, params.org);
  if (found === undefined) throw unprocessable(`org does not exist [name: ${params.org}]`);
  return found;
}

const orgDeleteRepos = endpoint({
  id: "orgDeleteRepos",
  tag: "organization",
  method: "delete",
  path: "/orgs/{org}/repos",
  summary: "Delete the repositories that an organization has",
  description: "204: they are gone. 202: they are many, and a worker goes on.",
  needs: { scope: ["organization", "repository"], organization: "owner" },
  status: 204,
  otherStatus: 202,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, actor, organization }) => {
    const outcome = await removeOrganizationRepositories(forge, actor, organization.organization);
    return outcome === "removed" ? undefined : new Reply(undefined, { status: 202 });
  },
});

export const organizationRepositoryEndpoints = [
  orgListRepos,
  createOrgRepoCurrent,
  createOrgRepo,
  orgDeleteRepos,
];
