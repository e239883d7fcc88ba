import { isArtifactOver } from "#core/artifact/artifact";
import type { Artifact } from "#core/artifact/artifact.table";
import type { Forge } from "#core/forge";
import { apiLinkTo } from "../../http/answer/links.ts";
import { timestamp } from "../../http/timestamps.ts";
import type { Place } from "../commit/present.ts";
import type { ActionArtifactJson } from "./schema.ts";

/** An artifact; of its run only what the artifact knows. */
export function presentArtifact(forge: Forge, place: Place, artifact: Artifact): ActionArtifactJson {
  const { id, name, sizeBytes, runId, repositoryId, createdAt, updatedAt, expiresAt } = artifact;
  const { owner, repository } = place;
  const url = apiLinkTo(forge.config, "repos", owner.name, repository.name, "actions", "artifacts", id);
  return {
    ...{ id, name, size_in_bytes: sizeBytes, url, archive_download_url: `${url}/zip` },
    expired: isArtifactOver(forge, artifact),
    workflow_run: { id: runId, repository_id: repositoryId },
    created_at: timestamp(createdAt),
    updated_at: timestamp(updatedAt),
    expires_at: timestamp(expiresAt),
  };
}
