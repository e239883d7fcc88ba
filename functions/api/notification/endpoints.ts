import type { Actor } from "#core/actor";
import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { markNotifications } from "#core/notification/mark";
import {
  countUnread,
  getNotification,
  listNotifications,
  type NotificationQuery,
  type ReadableNotification,
  updatedAtOf,
} from "#core/notification/notification";
import { z } from "#zod";
import { type Listing, type Page, pageOf } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listed, listQuery, marked, markQuery, statusNamed } from "./queries.ts";
import { NotificationCount, NotificationThread, type NotificationThreadJson } from "./schema.ts";
import { showNotifications } from "./show.ts";

/** So many of the marked ones are answered. */
const mostShown = 500;

interface Asking {
  readonly forge: Forge;
  readonly actor: Actor;
}

/** A page of the caller's notifications, with the time of the newest of all. Totals may end early (D-TOTAL). */
async function list(
  { forge, actor, page }: Asking & { readonly page: Page },
  query: NotificationQuery,
): Promise<Reply<Listing<NotificationThreadJson>>> {
  const { items: all, isWhole } = await listNotifications(forge, actor, query, page.page * page.limit);
  const { items, total } = pageOf(all, page);
  const shown = await showNotifications(forge, viewOf({ forge, actor }), items);
  const newest = all[0]?.notification;
  const headers: Record<string, string> =
    newest === undefined ? {} : { "last-modified": new Date(updatedAtOf(newest) * 1000).toUTCString() };
  return new Reply({ items: shown, total, isExact: isWhole }, { headers });
}

/** Marks the caller's notifications, and shows those that changed. */
async function mark(
  { forge, actor }: Asking,
  query: NotificationQuery,
  to: string | undefined,
): Promise<NotificationThreadJson[]> {
  const status = statusNamed(to);
  const { items: meant } = await listNotifications(forge, actor, query);
  const changing = meant.filter(({ notification }) => notification.status !== status);
  const changed = await markNotifications(forge, actor, changing, status);
  return showNotifications(forge, viewOf({ forge, actor }), changed.slice(0, mostShown));
}

async function showOne(
  { forge, actor }: Asking,
  readable: ReadableNotification,
): Promise<NotificationThreadJson> {
  const [shown] = await showNotifications(forge, viewOf({ forge, actor }), [readable]);
  if (shown === undefined) throw notFound(`notification does not exist [id: ${readable.notification.id}]`);
  return shown;
}

const own = { scope: ["notification"], login: true } as const;
const ofRepository = { ...own, repository: { mode: "read" } } as const;
const marking = {
  cost: "heavy",
  description: `Answers those that changed, ${mostShown} at most: 200 and not 205, which has no body.`,
  status: 200,
  returns: { json: z.array(NotificationThread) },
  errors: [400, 401, 403, 404, 409],
} as const;

const notifyGetList = endpoint({
  id: "notifyGetList",
  tag: "notification",
  method: "get",
  path: "/notifications",
  cost: "heavy",
  summary: "List the caller's notifications, the newest first",
  needs: own,
  query: listQuery,
  status: 200,
  returns: { list: NotificationThread },
  errors: [401, 403, 422],
  handle: (request) => list(request, listed(request.query)),
});

const notifyReadList = endpoint({
  ...marking,
  id: "notifyReadList",
  tag: "notification",
  method: "put",
  path: "/notifications",
  summary: "Mark the caller's notifications as read, or otherwise",
  needs: own,
  query: markQuery,
  handle: (request) => mark(request, marked(request.query), request.query["to-status"]),
});

const notifyNewAvailable = endpoint({
  id: "notifyNewAvailable",
  tag: "notification",
  method: "get",
  path: "/notifications/new",
  summary: "Count the caller's unread notifications",
  needs: own,
  status: 200,
  returns: { json: NotificationCount },
  errors: [401, 403],
  handle: async ({ forge, actor }) => ({ new: await countUnread(forge, actor) }),
});

const notifyGetThread = endpoint({
  id: "notifyGetThread",
  tag: "notification",
  method: "get",
  path: "/notifications/threads/{id}",
  summary: "Get one of the caller's notifications",
  needs: own,
  status: 200,
  returns: { json: NotificationThread },
  errors: [401, 403, 404],
  handle: async (request) =>
    showOne(request, await getNotification(request.forge, request.actor, request.params.id)),
});

const notifyReadThread = endpoint({
  id: "notifyReadThread",
  tag: "notification",
  method: "patch",
  path: "/notifications/threads/{id}",
  summary: "Mark one of the caller's notifications as read, or otherwise",
  description: "200 and not 205, which has no body.",
  needs: own,
  query: { "to-status": markQuery["to-status"] },
  status: 200,
  returns: { json: NotificationThread },
  errors: [401, 403, 404, 409],
  handle: async (request) => {
    const { forge, actor, params, query } = request;
    const readable = await getNotification(forge, actor, params.id);
    const [now] = await markNotifications(forge, actor, [readable], statusNamed(query["to-status"]));
    return showOne(request, now ?? (await getNotification(forge, actor, params.id)));
  },
});

const notifyGetRepoList = endpoint({
  id: "notifyGetRepoList",
  tag: "notification",
  method: "get",
  path: "/repos/{owner}/{repo}/notifications",
  summary: "List the caller's notifications about a repository, the newest first",
  needs: ofRepository,
  query: listQuery,
  status: 200,
  returns: { list: NotificationThread },
  errors: [401, 403, 404, 422],
  handle: (request) => list(request, listed(request.query, request.access.repository.id)),
});

const notifyReadRepoList = endpoint({
  ...marking,
  id: "notifyReadRepoList",
  tag: "notification",
  method: "put",
  path: "/repos/{owner}/{repo}/notifications",
  summary: "Mark the caller's notifications about a repository as read, or otherwise",
  needs: ofRepository,
  query: markQuery,
  handle: (request) =>
    mark(request, marked(request.query, request.access.repository.id), request.query["to-status"]),
});

export const notificationEndpoints = [
  notifyGetList,
  notifyReadList,
  notifyNewAvailable,
  notifyGetThread,
  notifyReadThread,
  notifyGetRepoList,
  notifyReadRepoList,
];
