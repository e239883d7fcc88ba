import type { EventType } from "../event-types.ts";
import type { ChatLine, Tone } from "./chat-message.ts";
import type { EventPayload, IssuePart } from "./event-payload.ts";

/** What somebody did, as the rest of a sentence that begins with their name. */
export interface News {
  readonly did: string;
  readonly link: string;
  /** The repository, when it isn't the payload's. */
  readonly where?: string;
  readonly lines?: readonly ChatLine[];
  readonly quote?: string;
  readonly tone?: Tone;
}

/** An event in words. */
export function newsOf(type: EventType, payload: EventPayload): News {
  if (type === "push") return pushNews(payload);
  if (type === "issue_comment" || type === "pull_request_comment") return commentNews(payload);
  if (type.startsWith("issue") || type.startsWith("pull_request")) return threadNews(type, payload);
  return (otherNews[type] ?? unknownNews)(payload);
}

const link = ({ repository }: EventPayload): string => repository?.html_url ?? "";
const shortName = ({ ref = "" }: EventPayload): string => ref.replace(/^refs\/(heads|tags)\//, "");

function pushNews(payload: EventPayload): News {
  const { commits = [], total_commits: total = 0, compare_url: compare } = payload;
  const listed = commits.map(({ id, message, url, author }) => ({
    text: `${id.slice(0, 10)} ${firstLine(message)} (${author.name})`,
    link: url,
  }));
  const more = total - listed.length;
  const rest = more > 0 ? [{ text: `and ${more} more`, link: compare || link(payload) }] : [];
  const count = total === 1 ? "a commit" : `${total} commits`;
  return {
    did: `pushed ${count} to ${shortName(payload)}`,
    link: compare || link(payload),
    lines: [...listed, ...rest],
  };
}

const firstLine = (message: string): string => message.split("\n", 1)[0] ?? "";

/** The issue or pull request of a payload, in words. */
function threadOf({ issue, pull_request: pull }: EventPayload): IssuePart & { readonly name: string } {
  const thread = pull ?? issue;
  if (thread === undefined) throw new Error("a payload without its issue");
  const kind = pull === undefined ? "issue" : "pull request";
  return { ...thread, name: `${kind} #${thread.number}: ${thread.title}` };
}

const commentDeeds: Readonly<Record<string, string>> = {
  created: "commented on",
  edited: "edited a comment on",
  deleted: "deleted a comment on",
};

function commentNews(payload: EventPayload): News {
  const thread = threadOf(payload);
  const { action = "", comment } = payload;
  const { html_url: own = "", body = "" } = typeof comment === "object" ? comment : {};
  const isGone = action === "deleted";
  return {
    did: `${commentDeeds[action] ?? action} ${thread.name}`,
    link: isGone ? thread.html_url : own,
    quote: isGone ? "" : body,
  };
}

const reviewDeeds: Partial<Record<EventType, { readonly did: string; readonly tone?: Tone }>> = {
  pull_request_review_approved: { did: "approved", tone: "good" },
  pull_request_review_rejected: { did: "asked for changes of", tone: "bad" },
  pull_request_review_comment: { did: "reviewed" },
};

/** What happened to an issue or pull request, its comments aside. */
function threadNews(type: EventType, payload: EventPayload): News {
  const thread = threadOf(payload);
  const review = reviewDeeds[type];
  if (review !== undefined) {
    const { did, ...tone } = review;
    return {
      did: `${did} ${thread.name}`,
      link: thread.html_url,
      quote: payload.review?.content ?? "",
      ...tone,
    };
  }
  const deed = threadDeeds[payload.action ?? ""] ?? { did: () => payload.action ?? "changed" };
  const hasText = payload.action === "opened" || payload.action === "edited";
  return {
    did: `${deed.did(payload, thread)} ${thread.name}`,
    link: thread.html_url,
    ...(hasText ? { quote: thread.body } : {}),
    ...(deed.tone === undefined ? {} : { tone: deed.tone }),
  };
}

interface Deed {
  readonly did: (payload: EventPayload, thread: IssuePart) => string;
  readonly tone?: Tone;
}
const plain = (did: string, tone?: Tone): Deed => ({
  did: () => did,
  ...(tone === undefined ? {} : { tone }),
});

const threadDeeds: Readonly<Record<string, Deed>> = {
  opened: plain("opened", "good"),
  edited: plain("edited"),
  closed: { did: ({ pull_request: pull }) => (pull?.merged === true ? "merged" : "closed"), tone: "bad" },
  reopened: plain("reopened", "good"),
  label_updated: plain("changed the labels of"),
  label_cleared: plain("removed all labels from"),
  milestoned: {
    did: (_, { milestone }) =>
      milestone === null ? "set the milestone of" : `set the milestone ${milestone.title} of`,
  },
  demilestoned: plain("removed the milestone of"),
  assigned: {
    did: (_, { assignees }) => `assigned ${(assignees ?? []).map(({ login }) => login).join(", ")} to`,
  },
  unassigned: plain("removed an assignee of"),
  synchronized: plain("pushed to"),
  review_requested: {
    did: ({ requested_reviewer: reviewer }) => `asked ${reviewer?.login ?? "a team"} for a review of`,
  },
  review_request_removed: {
    did: ({ requested_reviewer: reviewer }) =>
      `no longer asks ${reviewer?.login ?? "a team"} for a review of`,
  },
};

const tones: Readonly<Record<string, Tone>> = { created: "good", published: "good", deleted: "bad" };
const toned = ({ action = "" }: EventPayload): { readonly tone?: Tone } => {
  const tone = tones[action];
  return tone === undefined ? {} : { tone };
};
const unknownNews = (payload: EventPayload): News => ({
  did: payload.action ?? "did something",
  link: link(payload),
});

const otherNews: Partial<Record<EventType, (payload: EventPayload) => News>> = {
  create: (payload) => ({
    did: `created the ${payload.ref_type} ${shortName(payload)}`,
    link: link(payload),
    tone: "good",
  }),
  delete: (payload) => ({
    did: `deleted the ${payload.ref_type} ${shortName(payload)}`,
    link: link(payload),
    tone: "bad",
  }),
  fork: ({ forkee, repository }) => ({
    did: `forked it to ${repository?.full_name}`,
    link: repository?.html_url ?? "",
    where: forkee?.full_name ?? "",
    tone: "good",
  }),
  repository: (payload) => ({
    did: `${payload.action} the repository`,
    link: payload.action === "deleted" ? "" : link(payload),
    ...toned(payload),
  }),
  release: (payload) => {
    const { html_url: own = "", tag_name: tag = "", name = "", body = "" } = payload.release ?? {};
    const isGone = payload.action === "deleted";
    return {
      did: `${payload.action} the release ${tag}${name === "" || name === tag ? "" : `: ${name}`}`,
      link: isGone ? link(payload) : own,
      quote: isGone ? "" : body,
      ...toned(payload),
    };
  },
  wiki: (payload) => ({
    did: `${payload.action} the wiki page ${payload.page}`,
    link: link(payload),
    quote: typeof payload.comment === "string" ? payload.comment : "",
    ...toned(payload),
  }),
  package: (payload) => {
    const { type, name, version, html_url: own = "" } = payload.package ?? {};
    const isGone = payload.action === "deleted";
    return {
      did: `${payload.action} the ${type} package ${name} ${version}`,
      link: isGone ? "" : own,
      ...toned(payload),
    };
  },
};
