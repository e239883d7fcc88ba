import { z } from "#zod";

const markdown = {
  Text: z.string().optional(),
  Mode: z.string().optional(),
  Context: z.string().optional().openapi({
    description: "the start of relative links: an address, or a path under the address of this service",
  }),
  Wiki: z.boolean().optional().openapi({ description: "the text is a page of a wiki" }),
};

export const MarkdownOption = z.object(markdown).openapi("MarkdownOption");

const markup = z.object({
  ...markdown,
  FilePath: z.string().optional(),
  BranchPath: z.string().optional().openapi({ description: "such as branch/main" }),
});
export const MarkupOption = markup.openapi("MarkupOption");
export type MarkupFields = z.infer<typeof markup>;
