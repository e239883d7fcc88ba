import type { RepositoryAccess } from "#core/access/repository-access";
import { invalid, unprocessable } from "#core/errors";
import { type Markup, renderMarkdown, requireRenderable } from "#core/markdown/markdown";
import { z } from "#zod";
import type { ApiRequest } from "../../http/api-request.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { MarkdownOption, type MarkupFields, MarkupOption } from "./schema.ts";

/** A megabyte of text, in whatever way it is escaped. */
const bodyBytes = 3 * 2 ** 20;

type Request<B> = Pick<ApiRequest<Needs, string, undefined, B>, "forge" | "body">;

const ofRepository = { scope: ["repository"], repository: { mode: "read" } } as const;
const inRepository = ({ owner, repository }: RepositoryAccess): Pick<Markup, "repository"> => ({
  repository: { owner: owner.name, name: repository.name },
});

/** Any mode but `comment` and `gfm` means plain Markdown. */
function renderText({ forge, body }: Request<z.infer<typeof MarkdownOption>>, known = {}) {
  const { Text: text = "", Mode, Context: context, Wiki: isWiki = false } = body;
  const mode = Mode === "comment" || Mode === "gfm" ? Mode : "markdown";
  return renderMarkdown(forge, { ...known, text, mode, isWiki, ...(context ? { context } : {}) });
}

const renderRaw = ({ forge, body: text }: Request<string>) =>
  renderMarkdown(forge, { text, mode: "markdown" });

async function renderMarkup({ forge, body }: Request<MarkupFields>, known = {}) {
  const { Text: text = "", Mode, Context, FilePath, BranchPath, Wiki: isWiki = false } = body;
  if (text === "") return "";
  const markup = { ...known, text, isWiki, ...(Context ? { context: Context } : {}) };
  if (Mode === "comment" || Mode === "gfm" || Mode === "markdown") {
    return renderMarkdown(forge, { ...markup, mode: Mode });
  }
  if (Mode !== "file")
    throw unprocessable(`unknown mode: ${Mode ?? ""}; expected comment, gfm, markdown or file`);
  if (!FilePath) throw invalid("FilePath", "Required");
  requireRenderable(FilePath);
  const file = { filePath: FilePath, branchPath: BranchPath ?? "" };
  return renderMarkdown(forge, { ...markup, ...file, mode: "gfm" });
}

const bounds =
  "What may do harm is left out. At most 1,048,576 characters; what takes more than 10 seconds or becomes more than 4 " +
  "MB of HTML is refused with 422. 429 asks to come back when many texts wait, or when what a caller had computed took " +
  "more than 20 seconds within a minute.";
const modes =
  "`comment`: line breaks are kept, mentions and references become links. `gfm`: a document; references become links " +
  "where `Context` or the path names a repository. Anything else: plain Markdown. ";

const common = {
  method: "post",
  cost: "heavy",
  status: 200,
  returns: { html: true },
  errors: [422, 429],
  bodyBytes,
} as const;

export const markdownEndpoints = [
  endpoint({
    ...common,
    id: "renderMarkdown",
    tag: "miscellaneous",
    path: "/markdown",
    summary: "Render Markdown",
    description: modes + bounds,
    needs: {},
    body: MarkdownOption,
    withoutBody: "refused",
    handle: (request) => renderText(request),
  }),
  endpoint({
    ...common,
    id: "renderMarkdownRaw",
    tag: "miscellaneous",
    path: "/markdown/raw",
    summary: "Render plain Markdown that is sent as it is",
    description: bounds,
    needs: {},
    body: z.string(),
    bodyType: "text/plain",
    handle: renderRaw,
  }),
  endpoint({
    ...common,
    id: "renderMarkup",
    tag: "miscellaneous",
    path: "/markup",
    summary: "Render a text or a file by its mode",
    description: `\`Mode\` is \`comment\`, \`gfm\`, \`markdown\`, or \`file\`: then the extension of \`FilePath\` decides. ${bounds}`,
    needs: { login: true },
    body: MarkupOption,
    withoutBody: "refused",
    handle: (request) => renderMarkup(request),
  }),
  endpoint({
    ...common,
    id: "repoRenderMarkdown",
    tag: "repository",
    path: "/repos/{owner}/{repo}/markdown",
    summary: "Render Markdown of a repository",
    description: modes + bounds,
    needs: ofRepository,
    body: MarkdownOption,
    withoutBody: "refused",
    handle: (request) => renderText(request, inRepository(request.access)),
  }),
  endpoint({
    ...common,
    id: "repoRenderMarkdownRaw",
    tag: "repository",
    path: "/repos/{owner}/{repo}/markdown/raw",
    summary: "Render plain Markdown that is sent as it is",
    description: bounds,
    needs: ofRepository,
    body: z.string(),
    bodyType: "text/plain",
    handle: renderRaw,
  }),
  endpoint({
    ...common,
    id: "repoRenderMarkup",
    tag: "repository",
    path: "/repos/{owner}/{repo}/markup",
    summary: "Render a text or a file of a repository by its mode",
    description: `As \`/markup\`, with references to this repository. ${bounds}`,
    needs: { ...ofRepository, login: true },
    body: MarkupOption,
    withoutBody: "refused",
    handle: (request) => renderMarkup(request, inRepository(request.access)),
  }),
];
