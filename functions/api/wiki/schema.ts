import { z } from "#zod";
import { CommitUser } from "../commit/schema.ts";

const WikiCommit = z
  .object({
    sha: z.string(),
    author: CommitUser,
    commiter: CommitUser.openapi({ description: "spelled so, as in the family" }),
    message: z.string(),
  })
  .openapi("WikiCommit");
export type WikiCommitJson = z.infer<typeof WikiCommit>;

const overview = {
  title: z.string(),
  html_url: z.string(),
  sub_url: z.string().openapi({ description: "the page's name in addresses" }),
  last_commit: WikiCommit.nullable(),
};
export const WikiPageMetaData = z.object(overview).openapi("WikiPageMetaData");
export const WikiPage = z
  .object({
    ...overview,
    content_base64: z.string().openapi({ description: "empty above 10 MiB" }),
    commit_count: z.int(),
    sidebar: z.string().openapi({ description: "the page _Sidebar in base64, if there is one" }),
    footer: z.string().openapi({ description: "the page _Footer in base64, if there is one" }),
  })
  .openapi("WikiPage");

export const WikiCommitList = z
  .object({ commits: z.array(WikiCommit), count: z.int() })
  .openapi("WikiCommitList");

export const CreateWikiPageOptions = z
  .object({
    title: z.string().optional(),
    content_base64: z.string().optional(),
    message: z.string().optional().openapi({ description: "of the commit; absent: says what was done" }),
  })
  .openapi("CreateWikiPageOptions");
export type CreateWikiPageJson = z.infer<typeof CreateWikiPageOptions>;
