import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { completeImport, importJobId } from "#core/import/complete";
import { abandonImport, getImport, missingParts, openImport } from "#core/import/import";
import type { Import } from "#core/import/import.table";
import { findJob } from "#core/jobs/job";
import type { Repository } from "#core/repository/repository.table";
import type { z } from "#zod";
import { uploadLink } from "../../files/upload-link.ts";
import { endpoint } from "../../http/endpoint.ts";
import { optionalTimestamp, timestamp } from "../../http/timestamps.ts";
import { OpenImportOption, RepoImport } from "./schema.ts";

const pushes = {
  scope: ["repository"],
  login: true,
  repository: { mode: "write", unit: "code" },
} as const;

/** An import as it is; the addresses of the parts that are missing let anybody upload them, for an hour. */
async function shown(forge: Forge, found: Import): Promise<z.infer<typeof RepoImport>> {
  const takesParts = found.state === "open" || found.state === "failed";
  const isOver = found.until * 1000 < forge.clock.now();
  const [missing, job] = await Promise.all([
    takesParts && !isOver ? missingParts(forge, found) : [],
    found.state === "waiting" ? findJob(forge, importJobId(found)) : undefined,
  ]);
  const parts: { number: number; size: number; upload_url: string }[] = [];
  for (const part of missing) {
    parts.push({ number: part.number, size: part.sizeBytes, upload_url: await uploadLink(forge, part) });
  }
  return {
    status: job !== undefined && job.attempts > 0 ? "running" : found.state,
    ...{ size: found.sizeBytes, part_size: found.partBytes, parts },
    ...{ expires_at: timestamp(found.until), message: found.problem ?? "" },
    ...{ landed: found.landed, refused_count: found.refusedCount },
    refused: found.refused.map(({ name, refusal }) => ({ ref: name, message: refusal })),
    ended_at: optionalTimestamp(found.endedAt),
  };
}

const placeOf = ({ id }: Repository, { user }: Actor) => ({ repositoryId: id, userId: user.id });

const repoOpenImport = endpoint({
  id: "repoOpenImport",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/import",
  summary: "Open the upload of a git bundle: for more history than a request of git may bring",
  description:
    "Each user has one import in a repository: a new one takes the place of the former. PUT the parts to their " +
    "addresses, then complete it. `GET` hands out new addresses for the parts that are missing, for a day.",
  cost: "heavy",
  needs: pushes,
  refusesArchived: true,
  body: OpenImportOption,
  status: 201,
  returns: { json: RepoImport },
  isSecret: true,
  errors: [401, 403, 404, 409, 413, 422, 423],
  handle: async ({ forge, actor, access, body }) =>
    shown(forge, await openImport(forge, actor, access.repository, body.size)),
});

const repoGetImport = endpoint({
  id: "repoGetImport",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/import",
  summary: "Tell how far the caller's import is, and where its missing parts go",
  needs: pushes,
  status: 200,
  returns: { json: RepoImport },
  isSecret: true,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, access }) =>
    shown(forge, await getImport(forge, placeOf(access.repository, actor))),
});

const repoCompleteImport = endpoint({
  id: "repoCompleteImport",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/import/complete",
  summary: "Have the uploaded bundle taken in, as a push that forces nothing",
  description:
    "Waits up to 20 s; what takes longer goes on, and `GET` tells how it ended. May be repeated: a failed one is tried again.",
  cost: "heavy",
  needs: pushes,
  refusesArchived: true,
  status: 200,
  returns: { json: RepoImport },
  isSecret: true,
  errors: [401, 403, 404, 409, 423],
  handle: async ({ forge, actor, access }) =>
    shown(forge, await completeImport(forge, actor, access.repository)),
});

const repoAbandonImport = endpoint({
  id: "repoAbandonImport",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/import",
  summary: "Give the caller's import up, with what was uploaded",
  needs: pushes,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, access }) => {
    await abandonImport(forge, placeOf(access.repository, actor));
    return undefined;
  },
});

/** Every operation on bundles that bring history into a repository. */
export const importEndpoints = [repoOpenImport, repoGetImport, repoCompleteImport, repoAbandonImport];
