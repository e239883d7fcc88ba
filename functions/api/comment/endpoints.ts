import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { UpdatedWithin } from "#core/comment/collected";
import {
  createComment,
  editComment,
  findComment,
  removeComment,
  requireCommentable,
  requireCommentEditable,
} from "#core/comment/comment";
import { entryRowKey, type Comment as StoredComment } from "#core/comment/comment.table";
import { listIssueComments, listRepositoryComments, listTimeline } from "#core/comment/list";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { notesName, time } from "../../http/query.ts";
import { eitherUnit, issueAhead, readsIssues, readsIssuesSignedIn } from "../issue/needs.ts";
import { dateIn } from "../issue/update-date.ts";
import { Comment, type CommentJson, CreateIssueCommentOption, EditIssueCommentOption } from "./schema.ts";
import { showComment, showComments, showTimeline } from "./show.ts";
import { TimelineComment } from "./timeline-schema.ts";

/** The issue that a comment is on, read together with the caller. */
const rowAhead = (repositoryId: number, { id }: { readonly id: number }) => [entryRowKey(repositoryId, id)];

/** `string` is the name under which the service document declares `since` (D-SINCE). */
const updatedQuery = {
  since: notesName(time, "string"),
  before: time,
  string: time.openapi({ description: "the same as since, which wins when both are given" }),
};

const withinOf = ({
  since,
  string: alias,
  before,
}: {
  since?: number | undefined;
  string?: number | undefined;
  before?: number | undefined;
}): UpdatedWithin => {
  const from = since ?? alias;
  return { ...defined({ since: from, before }) };
};

/** A comment, or 204 for a timeline entry that is none. */
async function replyWith(
  request: { forge: Forge; access: RepositoryAccess; actor: Actor | undefined },
  comment: StoredComment | undefined,
): Promise<Reply<CommentJson>> {
  if (comment === undefined) return new Reply(undefined as never, { status: 204 });
  return new Reply(await showComment(request.forge, viewOf(request), request.access, comment));
}

const issueGetRepoComments = endpoint({
  id: "issueGetRepoComments",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/comments",
  summary: "List the comments on a repository's issues",
  needs: readsIssues,
  query: updatedQuery,
  status: 200,
  returns: { list: Comment, hasTexts: true },
  errors: [404, 422],
  handle: async (request) => {
    const { forge, access, page } = request;
    const within = withinOf(request.query);
    const { items, total } = await listRepositoryComments(forge, access, within, page);
    return { items: await showComments(forge, viewOf(request), access, items), total };
  },
});

const issueGetComments = endpoint({
  id: "issueGetComments",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}/comments",
  originalNames: { index: "id" },
  summary: "List the comments on an issue",
  description: "All of them unless a page is asked for; beyond 4 MB the list goes on behind `Link: next`.",
  needs: readsIssues,
  query: updatedQuery,
  status: 200,
  returns: { list: Comment, hasTexts: true },
  errors: [404, 422],
  handle: async (request) => {
    const { forge, access, params, page } = request;
    const asked = page.isAsked ? page : undefined;
    const within = withinOf(request.query);
    const listing = await listIssueComments(forge, access, params.index, within, asked);
    return { ...listing, items: await showComments(forge, viewOf(request), access, listing.items) };
  },
});

const issueGetCommentsAndTimeline = endpoint({
  id: "issueGetCommentsAndTimeline",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}/timeline",
  summary: "List the comments on an issue and all that happened to it, oldest first",
  needs: readsIssues,
  query: { since: time, before: time },
  status: 200,
  returns: { list: TimelineComment, hasTexts: true },
  errors: [404, 422],
  handle: async (request) => {
    const { forge, access, actor, params, page } = request;
    const asked = { ...withinOf(request.query), ...page };
    const listing = await listTimeline(forge, access, params.index, actor, asked);
    return { ...listing, items: await showTimeline(forge, viewOf(request), access, listing.items) };
  },
});

const issueCreateComment = endpoint({
  id: "issueCreateComment",
  tag: "issue",
  method: "post",
  path: "/repos/{owner}/{repo}/issues/{index}/comments",
  originalNames: { index: "id" },
  summary: "Comment on an issue",
  needs: {
    scope: ["issue"],
    login: true,
    repository: { mode: "read", unit: eitherUnit },
  },
  refusesArchived: true,
  readsAhead: issueAhead,
  thingRights: ({ forge, access, params, actor }) => requireCommentable(forge, access, params.index, actor),
  body: CreateIssueCommentOption,
  status: 201,
  returns: { json: Comment },
  errors: [401, 403, 404, 409, 422, 423],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const comment = await createComment(forge, access, params.index, body.body, actor, dateIn(body));
    return showComment(forge, viewOf(request), access, comment);
  },
});

const issueGetComment = endpoint({
  id: "issueGetComment",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/comments/{id}",
  summary: "Get a comment",
  description: "204 for an entry of the timeline that is no comment.",
  needs: readsIssues,
  readsAhead: rowAhead,
  status: 200,
  returns: { json: Comment },
  otherReturns: { status: 204 },
  errors: [404],
  handle: async (request) => {
    const comment = await findComment(request.forge, request.access, request.params.id);
    return replyWith(request, comment);
  },
});

interface EditorRequest {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly actor: Actor;
  readonly params: { readonly id: number };
}

const editing = {
  tag: "issue",
  method: "patch",
  description: "204 for an entry of the timeline that is no comment.",
  needs: {
    scope: ["issue"],
    login: true,
    repository: { mode: "read", unit: eitherUnit },
  },
  readsAhead: rowAhead,
  thingRights: ({ forge, access, params, actor }: EditorRequest) =>
    requireCommentEditable(forge, access, params.id, actor),
  hasBareRefusal: true,
  body: EditIssueCommentOption,
  status: 200,
  returns: { json: Comment },
  otherReturns: { status: 204 },
  errors: [401, 403, 404, 409, 422, 423],
} as const;

const issueEditComment = endpoint({
  ...editing,
  id: "issueEditComment",
  path: "/repos/{owner}/{repo}/issues/comments/{id}",
  summary: "Edit a comment",
  refusesArchived: true,
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const edited = await editComment(forge, access, params.id, body.body, actor, dateIn(body));
    return replyWith(request, edited);
  },
});

const issueEditCommentDeprecated = endpoint({
  ...editing,
  id: "issueEditCommentDeprecated",
  path: "/repos/{owner}/{repo}/issues/{index}/comments/{id}",
  summary: "Edit a comment; the index is ignored (D-DEPRECATED)",
  refusesArchived: true,
  isDeprecated: true,
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const edited = await editComment(forge, access, params.id, body.body, actor, dateIn(body));
    return replyWith(request, edited);
  },
});

const removing = {
  tag: "issue",
  method: "delete",
  description: "Nothing happens to an entry of the timeline that is no comment.",
  needs: readsIssuesSignedIn,
  readsAhead: rowAhead,
  status: 204,
  errors: [401, 403, 404, 409],
} as const;

const issueDeleteComment = endpoint({
  ...removing,
  id: "issueDeleteComment",
  path: "/repos/{owner}/{repo}/issues/comments/{id}",
  summary: "Delete a comment",
  handle: async ({ forge, access, actor, params }) => {
    await removeComment(forge, access, params.id, actor);
    return undefined;
  },
});

const issueDeleteCommentDeprecated = endpoint({
  ...removing,
  id: "issueDeleteCommentDeprecated",
  path: "/repos/{owner}/{repo}/issues/{index}/comments/{id}",
  summary: "Delete a comment; the index is ignored (D-DEPRECATED)",
  isDeprecated: true,
  handle: async ({ forge, access, actor, params }) => {
    await removeComment(forge, access, params.id, actor);
    return undefined;
  },
});

export const commentEndpoints = [
  issueGetRepoComments,
  issueGetComments,
  issueGetCommentsAndTimeline,
  issueCreateComment,
  issueGetComment,
  issueEditComment,
  issueEditCommentDeprecated,
  issueDeleteComment,
  issueDeleteCommentDeprecated,
];
