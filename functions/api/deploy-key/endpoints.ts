import { createDeployKey, getDeployKey, listDeployKeys, removeDeployKey } from "#core/deploy-key/deploy-key";
import type { DeployKey as DeployKeyItem } from "#core/deploy-key/deploy-key.table";
import { keyLine } from "#core/public-key/public-key";
import { type RepositoryDetails, repositoryDetailsOf } from "#core/repository/details";
import { z } from "#zod";
import { apiLinkTo } from "../../http/answer/links.ts";
import { pageOf } from "../../http/answer/paging.ts";
import { type View, viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { integer } from "../../http/query.ts";
import { dateTime, timestamp } from "../../http/timestamps.ts";
import { CreateKeyOption, fingerprint, newKeyOf } from "../public-key/schema.ts";
import { presentRepository } from "../repository/present.ts";
import { Repository } from "../repository/schema.ts";

const DeployKey = z
  .object({
    id: z.int(),
    key_id: z.int().openapi({ description: "of the public key: the same in each repository that has it" }),
    key: z.string(),
    url: z.string(),
    title: z.string(),
    fingerprint: z.string().openapi({ description: "SHA256:…" }),
    created_at: dateTime,
    read_only: z.boolean(),
    repository: Repository,
  })
  .openapi("DeployKey");

function presentDeployKey(
  view: View,
  details: RepositoryDetails,
  key: DeployKeyItem,
): z.infer<typeof DeployKey> {
  const { owner, repository } = details;
  return {
    id: key.id,
    key_id: key.keyId,
    key: keyLine(key, { withComment: true }),
    url: apiLinkTo(view.config, "repos", owner.name, repository.name, "keys", key.id),
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: timestamp(key.createdAt),
    read_only: key.isReadOnly,
    repository: presentRepository(view, details),
  };
}

const needs = { scope: ["repository"], login: true, repository: { mode: "admin" } } as const;

const repoListKeys = endpoint({
  id: "repoListKeys",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/keys",
  summary: "List a repository's deploy keys",
  needs,
  query: {
    key_id: integer.openapi({ description: "only that of this public key" }),
    fingerprint,
  },
  status: 200,
  returns: { list: DeployKey },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, access, query, page } = request;
    const filter = { keyId: query.key_id, fingerprint: query.fingerprint };
    const [keys, details] = await Promise.all([
      listDeployKeys(forge, access.repository.id, filter),
      repositoryDetailsOf(forge, access),
    ]);
    const { items, ...rest } = pageOf(keys, page);
    return { items: items.map((key) => presentDeployKey(viewOf(request), details, key)), ...rest };
  },
});

const repoCreateKey = endpoint({
  id: "repoCreateKey",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/keys",
  summary: "Add a deploy key to a repository",
  description: "It may serve several repositories, but no user. Git is served only over HTTP.",
  needs,
  body: CreateKeyOption,
  status: 201,
  returns: { json: DeployKey },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, body } = request;
    const key = await createDeployKey(forge, access.repository.id, newKeyOf(body));
    return presentDeployKey(viewOf(request), await repositoryDetailsOf(forge, access), key);
  },
});

const repoGetKey = endpoint({
  id: "repoGetKey",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/keys/{id}",
  summary: "Get a deploy key",
  needs,
  status: 200,
  returns: { json: DeployKey },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const key = await getDeployKey(forge, access.repository.id, params.id);
    return presentDeployKey(viewOf(request), await repositoryDetailsOf(forge, access), key);
  },
});

const repoDeleteKey = endpoint({
  id: "repoDeleteKey",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/keys/{id}",
  summary: "Remove a deploy key",
  needs,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, params }) => {
    await removeDeployKey(forge, access.repository.id, params.id);
    return undefined;
  },
});

export const deployKeyEndpoints = [repoListKeys, repoCreateKey, repoGetKey, repoDeleteKey];
