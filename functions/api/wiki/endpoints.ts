import { decodeBase64 } from "#core/base64";
import { badRequest } from "#core/errors";
import { createWikiPage, editWikiPage, type NewWikiPage, removeWikiPage } from "#core/wiki/change";
import { getWikiPage, listWikiPages, listWikiRevisions } from "#core/wiki/read";
import { Reply } from "../../http/answer/reply.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { presentOverview, presentPage, presentWikiCommit } from "./present.ts";
import {
  type CreateWikiPageJson,
  CreateWikiPageOptions,
  WikiCommitList,
  WikiPage,
  WikiPageMetaData,
} from "./schema.ts";

/** Base64 of pages of about 22 MiB; larger ones come by a push. */
const bodyBytes = 32 * 2 ** 20;
const revisionsPerPage = 50;

const reads = { scope: ["repository"], repository: { mode: "read", unit: "wiki" } } as const;
/** Names of pages are decoded once, by the wiki: a second decoding would turn `%20` in a title into a space. */
const pageName = { slashed: "pageName", asSent: "pageName" } as const;
const writes = {
  scope: ["repository"],
  login: true,
  repository: { mode: "write", unit: "wiki" },
} as const;

function pageFrom({ title = "", content_base64: text = "", message = "" }: CreateWikiPageJson): NewWikiPage {
  const content = decodeBase64(text);
  if (content === undefined) throw badRequest("content_base64 is not base64");
  return { title, message, content };
}

const repoGetWikiPages = endpoint({
  id: "repoGetWikiPages",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/wiki/pages",
  summary: "List the pages of the wiki",
  cost: "heavy",
  needs: reads,
  status: 200,
  returns: { list: WikiPageMetaData },
  errors: [403, 404],
  handle: async ({ forge, access, page, signal }) => {
    const { items, total } = await listWikiPages(forge, access.repository, page, { signal });
    return { items: items.map((one) => presentOverview(forge, access, one)), total };
  },
});

const repoGetWikiPage = endpoint({
  id: "repoGetWikiPage",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/wiki/page/{pageName}",
  summary: "Get a page of the wiki by its title or its sub_url",
  cost: "heavy",
  needs: reads,
  ...pageName,
  status: 200,
  returns: { json: WikiPage },
  errors: [403, 404],
  handle: async ({ forge, access, params, signal }) =>
    presentPage(forge, access, await getWikiPage(forge, access.repository, params.pageName, { signal })),
});

const repoCreateWikiPage = endpoint({
  id: "repoCreateWikiPage",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/wiki/new",
  summary: "Create a page of the wiki",
  cost: "heavy",
  needs: writes,
  refusesArchived: true,
  body: CreateWikiPageOptions,
  bodyBytes,
  status: 201,
  returns: { json: WikiPage },
  errors: [400, 401, 403, 404, 409, 422, 423],
  handle: async ({ forge, actor, access, body }) =>
    presentPage(forge, access, await createWikiPage(forge, access.repository, actor, pageFrom(body))),
});

const repoEditWikiPage = endpoint({
  id: "repoEditWikiPage",
  tag: "repository",
  method: "patch",
  path: "/repos/{owner}/{repo}/wiki/page/{pageName}",
  summary: "Rewrite a page of the wiki; another title renames it",
  cost: "heavy",
  needs: writes,
  refusesArchived: true,
  ...pageName,
  body: CreateWikiPageOptions,
  bodyBytes,
  status: 200,
  returns: { json: WikiPage },
  errors: [400, 401, 403, 404, 409, 422, 423],
  handle: async ({ forge, actor, access, params, body }) => {
    const page = await editWikiPage(forge, access.repository, actor, params.pageName, pageFrom(body));
    return presentPage(forge, access, page);
  },
});

const repoDeleteWikiPage = endpoint({
  id: "repoDeleteWikiPage",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/wiki/page/{pageName}",
  summary: "Delete a page of the wiki",
  cost: "heavy",
  needs: writes,
  refusesArchived: true,
  ...pageName,
  status: 204,
  errors: [401, 403, 404, 409, 423],
  handle: async ({ forge, actor, access, params }) => {
    await removeWikiPage(forge, access.repository, actor, params.pageName);
    return undefined;
  },
});

const repoGetWikiPageRevisions = endpoint({
  id: "repoGetWikiPageRevisions",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/wiki/revisions/{pageName}",
  summary: "List the commits that changed a page, newest first, 50 on a page",
  cost: "heavy",
  needs: reads,
  ...pageName,
  status: 200,
  pagedBy: "page",
  returns: { json: WikiCommitList },
  errors: [403, 404],
  handle: async ({ forge, access, params, page, signal }) => {
    const wanted = { page: page.page, limit: revisionsPerPage };
    const { items, total } = await listWikiRevisions(forge, access.repository, params.pageName, wanted, {
      signal,
    });
    const headers = { "x-total-count": String(total), "access-control-expose-headers": "X-Total-Count" };
    return new Reply({ commits: items.map(presentWikiCommit), count: total }, { headers });
  },
});

/** Every operation on wikis. */
export const wikiEndpoints: readonly Endpoint[] = [
  repoGetWikiPages,
  repoGetWikiPage,
  repoCreateWikiPage,
  repoEditWikiPage,
  repoDeleteWikiPage,
  repoGetWikiPageRevisions,
];
