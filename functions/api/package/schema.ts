import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Repository } from "../repository/schema.ts";
import { User } from "../user/schema.ts";

export const Package = z
  .object({
    id: z.int(),
    owner: User,
    repository: Repository.nullable(),
    creator: User,
    type: z.string(),
    name: z.string(),
    version: z.string(),
    html_url: z.string(),
    created_at: dateTime,
  })
  .openapi("Package");
export type PackageJson = z.infer<typeof Package>;

export const PackageFile = z
  .object({
    id: z.int(),
    Size: z.int(),
    name: z.string(),
    md5: z.string(),
    sha1: z.string(),
    sha256: z.string(),
    sha512: z.string(),
  })
  .openapi("PackageFile");
export type PackageFileJson = z.infer<typeof PackageFile>;
