import { defined } from "#core/defined";
import { createRelease } from "#core/release/create";
import { editRelease } from "#core/release/edit";
import { listReleases } from "#core/release/list";
import { getLatestRelease, getRelease, getReleaseByTag } from "#core/release/release";
import { removeRelease } from "#core/release/remove";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, text } from "../../http/query.ts";
import { readsReleases, releaseAhead, tagAhead, writesReleases } from "./needs.ts";
import { CreateReleaseOption, EditReleaseOption, type EditReleaseOptionJson, Release } from "./schema.ts";
import { showReadRelease, showRelease, showReleases } from "./show.ts";

/**
 * Empty texts stand for absent ones. Exceptions are the texts that a release may lack: a client that sends only those
 * empties them. A client that sends all members, as those made with the family's Go SDK do, means nothing by it.
 */
function membersOf(body: EditReleaseOptionJson) {
  const sendsAll = body.tag_name === "" || body.target_commitish === "";
  const text = (value: string | undefined) => (sendsAll && value === "" ? undefined : value);
  return defined({
    tagName: body.tag_name || undefined,
    target: body.target_commitish || undefined,
    title: text(body.name),
    body: text(body.body),
    isDraft: body.draft,
    isPrerelease: body.prerelease,
    hidesArchiveLinks: body.hide_archive_links,
  });
}

const repoListReleases = endpoint({
  id: "repoListReleases",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/releases",
  summary: "List releases, the newest first; drafts are shown to writers alone",
  cost: (query) => (query.has("q") ? "heavy" : "light"),
  needs: readsReleases,
  query: {
    draft: flag,
    "pre-release": flag,
    q: text.openapi({ description: "a part of the tag, the title or the notes, in any case" }),
  },
  status: 200,
  returns: { list: Release, hasTexts: true },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, query, page } = request;
    const { items, ...listing } = await listReleases(forge, access, {
      ...{ page: page.page, limit: page.limit },
      ...defined({ isDraft: query.draft, isPrerelease: query["pre-release"], words: query.q }),
    });
    return { ...listing, items: showReleases(forge, viewOf(request), access, items) };
  },
});

const repoCreateRelease = endpoint({
  id: "repoCreateRelease",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/releases",
  summary: "Make a release, and its tag if it is missing",
  needs: writesReleases,
  refusesArchived: true,
  body: CreateReleaseOption,
  status: 201,
  returns: { json: Release },
  errors: [401, 403, 404, 409, 422, 423],
  handle: async (request) => {
    const { forge, access, actor, body } = request;
    const given = {
      ...membersOf(body),
      ...{ tagName: body.tag_name, ...defined({ tagMessage: body.tag_message }) },
    };
    const made = await createRelease(forge, access.repository, actor, given);
    return showRelease(forge, viewOf(request), access, made);
  },
});

const repoGetLatestRelease = endpoint({
  id: "repoGetLatestRelease",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/releases/latest",
  summary: "Get the newest release that is neither a draft nor a prerelease",
  needs: readsReleases,
  status: 200,
  returns: { json: Release },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access } = request;
    return showReadRelease(forge, viewOf(request), access, await getLatestRelease(forge, access));
  },
});

const repoGetReleaseByTag = endpoint({
  id: "repoGetReleaseByTag",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/releases/tags/{tag}",
  slashed: "tag",
  summary: "Get the release on a tag, in any case",
  needs: readsReleases,
  readsAhead: tagAhead,
  status: 200,
  returns: { json: Release },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    const found = await getReleaseByTag(forge, access, params.tag);
    return showReadRelease(forge, viewOf(request), access, found);
  },
});

const repoDeleteReleaseByTag = endpoint({
  id: "repoDeleteReleaseByTag",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/releases/tags/{tag}",
  slashed: "tag",
  summary: "Delete the release on a tag with its assets; the tag stays",
  needs: writesReleases,
  readsAhead: tagAhead,
  refusesArchived: true,
  status: 204,
  errors: [401, 403, 404, 409, 422, 423],
  handle: async ({ forge, access, actor, params }) => {
    const { id } = await getReleaseByTag(forge, access, params.tag);
    await removeRelease(forge, access, actor, id);
    return undefined;
  },
});

const repoGetRelease = endpoint({
  id: "repoGetRelease",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/releases/{id}",
  summary: "Get a release",
  needs: readsReleases,
  readsAhead: releaseAhead,
  status: 200,
  returns: { json: Release },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, params } = request;
    return showReadRelease(forge, viewOf(request), access, await getRelease(forge, access, params.id));
  },
});

const repoEditRelease = endpoint({
  id: "repoEditRelease",
  tag: "repository",
  method: "patch",
  path: "/repos/{owner}/{repo}/releases/{id}",
  summary: "Edit a release; a draft that is published gets its tag",
  needs: writesReleases,
  readsAhead: releaseAhead,
  refusesArchived: true,
  body: EditReleaseOption,
  status: 200,
  returns: { json: Release },
  errors: [401, 403, 404, 409, 422, 423],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const edited = await editRelease(forge, access, actor, params.id, membersOf(body));
    return showRelease(forge, viewOf(request), access, edited);
  },
});

const repoDeleteRelease = endpoint({
  id: "repoDeleteRelease",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/releases/{id}",
  summary: "Delete a release with its assets; the tag stays",
  needs: writesReleases,
  readsAhead: releaseAhead,
  refusesArchived: true,
  status: 204,
  errors: [401, 403, 404, 409, 422, 423],
  handle: async ({ forge, access, actor, params }) => {
    await removeRelease(forge, access, actor, params.id);
    return undefined;
  },
});

export const releaseEndpoints = [
  repoListReleases,
  repoCreateRelease,
  repoGetLatestRelease,
  repoGetReleaseByTag,
  repoDeleteReleaseByTag,
  repoGetRelease,
  repoEditRelease,
  repoDeleteRelease,
];
