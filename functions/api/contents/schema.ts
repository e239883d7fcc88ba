import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

const FileLinksResponse = z
  .object({ self: z.string(), git: z.string().nullable(), html: z.string().nullable() })
  .openapi("FileLinksResponse");

export const ContentsResponse = z
  .object({
    name: z.string(),
    path: z.string(),
    sha: z.string(),
    last_commit_sha: z.string().nullable(),
    last_commit_when: dateTime.nullable(),
    type: z.enum(["file", "dir", "symlink", "submodule"]),
    size: z.int(),
    encoding: z.string().nullable(),
    content: z.string().nullable(),
    target: z.string().nullable(),
    url: z.string(),
    html_url: z.string().nullable(),
    git_url: z.string().nullable(),
    download_url: z.string().nullable(),
    submodule_git_url: z.string().nullable(),
    lfs_oid: z.string().optional().openapi({ description: "of the object that a pointer of Git LFS names" }),
    lfs_size: z.int().optional().openapi({ description: "bytes of that object" }),
    _links: FileLinksResponse,
  })
  .openapi("ContentsResponse");
export type ContentsJson = z.infer<typeof ContentsResponse>;

export const EditorConfig = z
  .object({
    indent_style: z.string(),
    indent_size: z.string(),
    tab_width: z.int(),
    end_of_line: z.string(),
    charset: z.string(),
    trim_trailing_whitespace: z.boolean(),
    insert_final_newline: z.boolean(),
  })
  .partial()
  .openapi("EditorConfig");

const mostFiles = 100;
export const GetFilesOptions = z
  .object({ files: z.array(z.string().min(1)).max(mostFiles) })
  .openapi("GetFilesOptions");

export const ContentsExtResponse = z
  .object({
    file_contents: ContentsResponse.nullable(),
    dir_contents: z.array(ContentsResponse).nullable(),
  })
  .openapi("ContentsExtResponse");
