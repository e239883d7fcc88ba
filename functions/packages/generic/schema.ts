import { z } from "#zod";

export const AnnouncePackageFileOption = z
  .object({
    size: z.int().openapi({ description: "in bytes" }),
    sha256: z.string().openapi({ description: "in hexadecimal digits" }),
  })
  .openapi("AnnouncePackageFileOption");

export const AwaitedPackageFile = z
  .object({
    upload: z.string().openapi({ description: "for the request that completes the upload" }),
    upload_url: z.string(),
  })
  .openapi("AwaitedPackageFile");

export const CompletePackageFileOption = z
  .object({ upload: z.string() })
  .openapi("CompletePackageFileOption");
