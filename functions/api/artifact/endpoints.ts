import type { RepositoryAccess } from "#core/access/repository-access";
import { getArtifact, listArtifacts } from "#core/artifact/artifact";
import { artifactKeysOf } from "#core/artifact/artifact.table";
import { removeArtifact } from "#core/artifact/remove";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import type { Listing, Page } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { artifactLink } from "./link.ts";
import { presentArtifact } from "./present.ts";
import { ActionArtifact, type ActionArtifactJson } from "./schema.ts";

const reading = { scope: ["repository"], repository: { mode: "read", unit: "actions" } } as const;
const writing = {
  scope: ["repository"],
  login: true,
  repository: { mode: "write", unit: "actions" },
} as const;

const ofArtifact = "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}";
const artifactAhead = (repositoryId: number, params: { readonly artifact_id: number }) =>
  artifactKeysOf(repositoryId, params.artifact_id);
const listed = {
  list: ActionArtifact,
  under: "artifacts",
  total: "total_count",
  named: "ActionArtifactsResponse",
} as const;
const byName = { name: text.openapi({ description: "only those of this very name" }) };

async function listing(
  { forge, access, page }: { forge: Forge; access: RepositoryAccess; page: Page },
  filter: { readonly name?: string; readonly runId?: number },
): Promise<Listing<ActionArtifactJson>> {
  const query = { page: page.page, limit: page.limit, ...filter };
  const { items, total } = await listArtifacts(forge, access.repository.id, query);
  return { items: items.map((one) => presentArtifact(forge, access, one)), total };
}

const getArtifacts = endpoint({
  id: "getArtifacts",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/actions/artifacts",
  summary: "List the artifacts of a repository's runs, the newest first, expired ones too",
  needs: reading,
  query: byName,
  status: 200,
  returns: listed,
  errors: [403, 404],
  handle: (request) => listing(request, defined({ name: request.query.name || undefined })),
});

const getArtifactsOfRun = endpoint({
  id: "getArtifactsOfRun",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/actions/runs/{run}/artifacts",
  summary: "List the artifacts of a run, the newest first, expired ones too",
  needs: reading,
  query: byName,
  status: 200,
  returns: listed,
  errors: [403, 404],
  handle: (request) => {
    const { params, query } = request;
    return listing(request, { runId: params.run, ...defined({ name: query.name || undefined }) });
  },
});

const getOneArtifact = endpoint({
  id: "getArtifact",
  tag: "repository",
  method: "get",
  path: ofArtifact,
  summary: "Get an artifact",
  needs: reading,
  readsAhead: artifactAhead,
  status: 200,
  returns: { json: ActionArtifact },
  errors: [403, 404],
  handle: async ({ forge, access, params }) =>
    presentArtifact(forge, access, await getArtifact(forge, access.repository.id, params.artifact_id)),
});

const deleteArtifact = endpoint({
  id: "deleteArtifact",
  tag: "repository",
  method: "delete",
  path: ofArtifact,
  summary: "Delete an artifact",
  needs: writing,
  readsAhead: artifactAhead,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, params }) => {
    await removeArtifact(forge, access.repository.id, params.artifact_id);
    return undefined;
  },
});

const downloadArtifact = endpoint({
  id: "downloadArtifact",
  tag: "repository",
  method: "get",
  path: `${ofArtifact}/zip`,
  summary: "Get the address of an artifact's file, which needs no credentials for an hour",
  needs: reading,
  readsAhead: artifactAhead,
  status: 302,
  errors: [403, 404],
  handle: async ({ forge, access, params }) => {
    const artifact = await getArtifact(forge, access.repository.id, params.artifact_id);
    const location = await artifactLink(forge, artifact);
    return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
  },
});

export const artifactEndpoints = [
  getArtifacts,
  getArtifactsOfRun,
  getOneArtifact,
  deleteArtifact,
  downloadArtifact,
];
