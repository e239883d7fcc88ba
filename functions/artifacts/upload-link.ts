import { z } from "zod";
import type { Artifact, ArtifactUpload } from "#core/artifact/artifact.table";
import { unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { openSealedValue, sealValue } from "#core/sealed-value";
import { servicePath } from "./service-path.ts";

const countsMs = 3_600_000;

const kind = {
  purpose: "artifact-upload",
  shape: z.object({
    repositoryId: z.int(),
    number: z.int(),
    upload: z.int(),
    taskId: z.int(),
    until: z.number(),
  }),
};

/** One upload of an artifact, and the task that opened it. */
export interface UploadLink {
  readonly upload: ArtifactUpload;
  readonly taskId: number;
}

/**
 * The address to which a task uploads an artifact for an hour; clients add queries of their own behind it. What it says
 * is sealed, so it leads to no other artifact, nor to a later upload of this one.
 */
export function uploadAddress(
  forge: Forge,
  { repositoryId, number, upload }: Artifact,
  taskId: number,
): string {
  const link = { repositoryId, number, upload, taskId, until: forge.clock.now() + countsMs };
  const sealed = sealValue(forge, kind, link);
  return `${forge.config.rootUrl}${servicePath}/UploadArtifact?sig=${encodeURIComponent(sealed)}`;
}

/** What an address leads to. Unauthorized for one that is none, or whose time is over (semantics §62.2). */
export function openUploadAddress(forge: Forge, { searchParams }: URL): UploadLink {
  const link = openSealedValue(forge, kind, searchParams.get("sig") ?? "");
  if (link === undefined) {
    throw unauthorized(
      "this address of an upload is none of ours, or its hour is over: create the artifact again",
    );
  }
  const { repositoryId, number, upload, taskId } = link;
  return { upload: { repositoryId, number, upload }, taskId };
}
