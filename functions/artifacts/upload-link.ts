import { z } from "zod";
import type { Artifact, ArtifactUpload } from "#core/artifact/artifact.table";
import { unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { servicePath } from "./service-path.ts";

const purpose = "artifact-upload";
const countsMs = 3_600_000;

const linkShape = z.object({
  repositoryId: z.int(),
  number: z.int(),
  upload: z.int(),
  taskId: z.int(),
  until: z.number(),
});

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
  const sealed = forge.secrets.seal(JSON.stringify(link), purpose);
  return `${forge.config.rootUrl}${servicePath}/UploadArtifact?sig=${encodeURIComponent(sealed)}`;
}

/** What an address leads to. Unauthorized for one that is none, or whose time is over (semantics §62.2). */
export function openUploadAddress(forge: Forge, { searchParams }: URL): UploadLink {
  const link = unsealed(forge, searchParams.get("sig") ?? "");
  if (link === undefined || link.until < forge.clock.now()) {
    throw unauthorized(
      "this address of an upload is none of ours, or its hour is over: create the artifact again",
    );
  }
  const { repositoryId, number, upload, taskId } = link;
  return { upload: { repositoryId, number, upload }, taskId };
}

function unsealed({ secrets }: Forge, text: string): z.infer<typeof linkShape> | undefined {
  let plain: string;
  try {
    plain = secrets.open(text, purpose);
  } catch {
    return undefined; // made up, or sealed by a lost key: nobody can tell the two apart
  }
  return linkShape.parse(JSON.parse(plain));
}
