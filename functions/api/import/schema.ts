import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

export const OpenImportOption = z
  .object({ size: z.int().openapi({ description: "of the bundle, in bytes" }) })
  .openapi("OpenImportOption");

export const RepoImport = z
  .object({
    status: z.enum(["open", "waiting", "running", "done", "failed"]),
    size: z.int(),
    part_size: z.int().openapi({ description: "bytes of each part but the last" }),
    parts: z
      .array(
        z.object({
          number: z.int().openapi({ description: "from 1" }),
          size: z.int(),
          upload_url: z.string().openapi({
            description:
              "PUT the part's bytes there within the hour, with `If-None-Match: *`, without credentials",
          }),
        }),
      )
      .openapi({ description: "that have not come yet" }),
    expires_at: dateTime.openapi({ description: "no part is taken after this" }),
    message: z.string().openapi({ description: "why it failed, or what was not taken" }),
    landed: z.int().openapi({ description: "refs that moved" }),
    refused_count: z.int(),
    refused: z
      .array(z.object({ ref: z.string(), message: z.string() }))
      .openapi({ description: "refs that were not taken; 500 at most" }),
    ended_at: dateTime.nullable(),
  })
  .openapi("RepoImport");
