import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { createReaction, listReactions, type ReactedOn, removeReaction } from "#core/reaction/reaction";
import type { Reaction as StoredReaction } from "#core/reaction/reaction.table";
import { findUsersNear } from "#core/user/find-near";
import { ghostUser } from "#core/user/system-users";
import { z } from "#zod";
import { pageOf, wholeUnlessAsked } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { dateTime, timestamp } from "../../http/timestamps.ts";
import { readsIssues, readsIssuesSignedIn } from "../issue/needs.ts";
import { presentUser } from "../user/present.ts";
import { User } from "../user/schema.ts";

const Reaction = z.object({ user: User, content: z.string(), created_at: dateTime }).openapi("Reaction");
type ReactionJson = z.infer<typeof Reaction>;

const EditReactionOption = z
  .object({ content: z.string().optional().openapi({ description: "one of those in /settings/ui" }) })
  .openapi("EditReactionOption");

const reading = {
  tag: "issue",
  method: "get",
  needs: readsIssues,
  status: 200,
  returns: { list: Reaction },
  errors: [404],
} as const;
const writing = {
  tag: "issue",
  needs: readsIssuesSignedIn,
  body: EditReactionOption,
} as const;
const adding = {
  ...writing,
  method: "post",
  description: "200 when the caller has reacted so already.",
  status: 201,
  otherStatus: 200,
  returns: { json: Reaction },
  errors: [401, 403, 404, 409],
} as const;
const removing = { ...writing, method: "delete", status: 200, errors: [401, 403, 404] } as const;

type ReadRequest = { forge: Forge; access: RepositoryAccess; actor: Actor | undefined };
type WriteRequest = ReadRequest & { actor: Actor; body: { content?: string | undefined } };

/** Reactions with their users. */
async function show(request: ReadRequest, rows: readonly StoredReaction[]): Promise<ReactionJson[]> {
  const { forge, access } = request;
  const view = viewOf(request);
  const ids = rows.map(({ userId }) => userId);
  const found = await findUsersNear(forge, view.actor, [access], ids);
  return rows.map(({ userId, content, createdAt }) => ({
    user: presentUser(view, found.get(userId) ?? ghostUser),
    content,
    created_at: timestamp(createdAt),
  }));
}

async function add(request: WriteRequest, on: ReactedOn): Promise<Reply<ReactionJson>> {
  const { forge, access, actor, body } = request;
  const { reaction, isNew } = await createReaction(forge, access, on, body.content ?? "", actor);
  const [shown] = await show(request, [reaction]);
  return new Reply(shown as ReactionJson, { status: isNew ? 201 : 200 });
}

async function remove({ forge, access, actor, body }: WriteRequest, on: ReactedOn): Promise<undefined> {
  await removeReaction(forge, access, on, body.content ?? "", actor);
  return undefined;
}

const issueGetIssueReactions = endpoint({
  ...reading,
  id: "issueGetIssueReactions",
  path: "/repos/{owner}/{repo}/issues/{index}/reactions",
  summary: "List the reactions on an issue, oldest first",
  handle: async (request) => {
    const { forge, access, params, page } = request;
    const rows = await listReactions(forge, access, { number: params.index });
    const listing = pageOf(rows, page);
    return { ...listing, items: await show(request, listing.items) };
  },
});

const issuePostIssueReaction = endpoint({
  ...adding,
  id: "issuePostIssueReaction",
  path: "/repos/{owner}/{repo}/issues/{index}/reactions",
  summary: "React on an issue",
  handle: (request) => add(request, { number: request.params.index }),
});

const issueDeleteIssueReaction = endpoint({
  ...removing,
  id: "issueDeleteIssueReaction",
  path: "/repos/{owner}/{repo}/issues/{index}/reactions",
  summary: "Take a reaction on an issue back",
  handle: (request) => remove(request, { number: request.params.index }),
});

const issueGetCommentReactions = endpoint({
  ...reading,
  id: "issueGetCommentReactions",
  path: "/repos/{owner}/{repo}/issues/comments/{id}/reactions",
  summary: "List the reactions on a comment, oldest first: all unless a page is asked for",
  handle: async (request) => {
    const { forge, access, params, page } = request;
    const rows = await listReactions(forge, access, { commentId: params.id });
    const listing = wholeUnlessAsked(rows, page);
    return { ...listing, items: await show(request, listing.items) };
  },
});

const issuePostCommentReaction = endpoint({
  ...adding,
  id: "issuePostCommentReaction",
  path: "/repos/{owner}/{repo}/issues/comments/{id}/reactions",
  summary: "React on a comment",
  handle: (request) => add(request, { commentId: request.params.id }),
});

const issueDeleteCommentReaction = endpoint({
  ...removing,
  id: "issueDeleteCommentReaction",
  path: "/repos/{owner}/{repo}/issues/comments/{id}/reactions",
  summary: "Take a reaction on a comment back",
  handle: (request) => remove(request, { commentId: request.params.id }),
});

export const reactionEndpoints = [
  issueGetIssueReactions,
  issuePostIssueReaction,
  issueDeleteIssueReaction,
  issueGetCommentReactions,
  issuePostCommentReaction,
  issueDeleteCommentReaction,
];
