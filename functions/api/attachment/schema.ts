import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { updateDate } from "../issue/update-date.ts";

export const Attachment = z
  .object({
    id: z.int(),
    name: z.string(),
    size: z.int(),
    download_count: z.int(),
    created_at: dateTime,
    uuid: z.string(),
    browser_download_url: z.string(),
    type: z.enum(["attachment", "external"]),
  })
  .openapi("Attachment");
export type AttachmentJson = z.infer<typeof Attachment>;

const file = z.string().openapi({ format: "binary" });

/** The form of an upload. */
export const AttachmentForm = z.object({
  attachment: file,
  name: z.string().optional().openapi({ description: "in place of the file's own; the query's comes first" }),
  updated_at: updateDate,
});

/** The same operation for files that are larger than a request may be, in two steps. */
export const AnnounceAttachmentOption = z
  .object({
    name: z.string().optional().openapi({ description: "of the file; with size it opens an upload_url" }),
    size: z.int().min(0).optional().openapi({ description: "bytes" }),
    uuid: z
      .string()
      .optional()
      .openapi({ description: "of a file that was put under its upload_url: it becomes the attachment" }),
    updated_at: updateDate,
  })
  .openapi("AnnounceAttachmentOption");

export const AwaitedAttachment = z
  .object({
    uuid: z.string(),
    upload_url: z.string().openapi({
      description: "takes one PUT of the bytes, with the header If-None-Match: * and without credentials",
    }),
    expires_at: dateTime,
  })
  .openapi("AwaitedAttachment");

export const EditAttachmentOptions = z
  .object({
    name: z.string().optional(),
    browser_download_url: z.string().optional().openapi({ description: "of external attachments alone" }),
  })
  .openapi("EditAttachmentOptions");

export const bytesOfFile = { "application/octet-stream": file };
