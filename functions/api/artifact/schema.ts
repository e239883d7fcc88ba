import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

export const ActionArtifact = z
  .object({
    id: z.int(),
    name: z.string(),
    size_in_bytes: z.int(),
    url: z.string(),
    archive_download_url: z.string(),
    expired: z.boolean(),
    workflow_run: z
      .object({ id: z.int(), repository_id: z.int() })
      .openapi({ description: "of the run that made it" }),
    created_at: dateTime,
    updated_at: dateTime,
    expires_at: dateTime,
  })
  .openapi("ActionArtifact");
export type ActionArtifactJson = z.infer<typeof ActionArtifact>;
