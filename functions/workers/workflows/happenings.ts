import type { RunEvent } from "#core/actions/run/run-events";
import { type Code, findCommit } from "#core/code/open";
import { defined } from "#core/defined";
import { sideOf } from "#core/git/diff/file-change";
import { diffTrees } from "#core/git/diff/tree-diff";
import type { ObjectId } from "#core/git/format/object-format";
import { entryName } from "#core/git/format/tree";
import type { LoggedChange } from "#core/git/refs/ref-log";
import { branchPrefix, tagPrefix } from "#core/git/refs/ref-name";
import type { IssueAction } from "#core/hook/events";
import { type PullRequest, pullHeadRef } from "#core/pull/pull.table";
import type { Review } from "#core/review/review.table";
import type { About, WorkflowEvent } from "./about.ts";

/** Something that workflows may listen to (semantics §64.2), and where their files and their commit lie. */
export interface Happening {
  readonly event: RunEvent;
  /** What happened to the thing. */
  readonly type?: string;
  /** The ref that filters look at. */
  readonly filtered?: string;
  /** The ref and the commit of its runs; absent: the default branch as it is. */
  readonly place?: { readonly ref: string; readonly commitId: ObjectId };
  /** The tag of its runs, as long as it is there. */
  readonly tag?: string;
  readonly pull?: PullRequest;
  /** The newest run of its kind takes the place of older ones. */
  readonly supersedes: boolean;
  /** Of a push: where it stands among the notices for hooks. */
  readonly notice?: { readonly eventType: "push" | "create" | "delete"; readonly what: string };
  readonly changedPaths?: (code: Code) => Promise<readonly string[] | undefined>;
}

/** A push of more refs starts the workflows of the first ones alone. */
export const mostRefs = 20;

/** What happens with the refs of a push: to each, it is pushed, and perhaps created or deleted. */
export function happeningsOfPush(changes: readonly LoggedChange[]): Happening[] {
  const refs = changes.filter(({ name }) => name.startsWith(branchPrefix) || name.startsWith(tagPrefix));
  return refs.slice(0, mostRefs).flatMap((change, at): Happening[] => {
    const { name, old, peeled } = change;
    if (change.new === undefined) {
      return [
        {
          event: "delete",
          filtered: name,
          supersedes: false,
          notice: { eventType: "delete", what: `delete ${at}` },
        },
      ];
    }
    const commitId = peeled ?? change.new;
    const place = { ref: name, commitId };
    const pushed: Happening = {
      ...{ event: "push", filtered: name, place, supersedes: true },
      notice: { eventType: "push", what: `push ${at}` },
      ...(name.startsWith(branchPrefix) ? { changedPaths: (code) => pathsBetween(code, old, commitId) } : {}),
    };
    if (old !== undefined) return [pushed];
    const notice = { eventType: "create", what: `create ${at}` } as const;
    return [pushed, { event: "create", filtered: name, place, supersedes: false, notice }];
  });
}

const diffLimits = { changes: 3_000, pathBytes: 512 * 1024, trees: 20_000 };

/** The files that differ between two commits; undefined when one is not there, or they are too many to tell. */
async function pathsBetween(
  { history }: Code,
  old: ObjectId | undefined,
  now: ObjectId,
): Promise<readonly string[] | undefined> {
  const { tree, parents } = await history.links(now);
  const base = old ?? parents[0];
  if (base !== undefined && !history.has(base)) return undefined;
  const before = base === undefined ? undefined : (await history.links(base)).tree;
  const { changes, isCut } = await diffTrees(history, before, tree, diffLimits);
  return isCut ? undefined : changes.map((change) => entryName(sideOf(change).path));
}

/** The names of actions in workflows, where they differ. */
const typeNames: Partial<Record<IssueAction, string>> = {
  label_updated: "labeled",
  label_cleared: "unlabeled",
  synchronized: "synchronize",
};

/** What an event is for workflows. */
export function happeningsOf(event: WorkflowEvent, { pull, tag, review }: About): Happening[] {
  const plain = { supersedes: false } as const;
  switch (event.kind) {
    case "issue": {
      const type = typeNames[event.action] ?? event.action;
      if (pull === undefined) return [{ ...plain, event: "issues", type }];
      return happeningsOfPull(pull, type);
    }
    case "issue-comment":
      return [{ ...plain, event: "issue_comment", type: event.action, ...(pull && { pull }) }];
    case "review":
      return pull === undefined ? [] : happeningsOfReview(pull, event.action, review);
    case "release": {
      const type = event.action === "updated" ? "edited" : event.action;
      return [{ ...plain, event: "release", type, ...defined({ tag }) }];
    }
    case "package":
      return event.action === "created" ? [{ ...plain, event: "registry_package", type: "published" }] : [];
    case "wiki":
      return [{ ...plain, event: "gollum", type: event.action }];
    case "repository-forked":
      return [{ ...plain, event: "fork" }];
    default:
      return [];
  }
}

/** `pull_request` runs on the request's head, `pull_request_target` on its base (semantics §64.1, §61). */
function happeningsOfPull(pull: PullRequest, type: string): Happening[] {
  const { base, headId, mergeBase } = pull.pull;
  const shared = {
    ...{ type, pull, filtered: branchPrefix + base, supersedes: type === "synchronize" },
    changedPaths: (code: Code) => pathsBetween(code, mergeBase, headId),
  };
  const ofHead = { ...shared, place: { ref: pullHeadRef(pull.number), commitId: headId } };
  return [
    { ...ofHead, event: "pull_request" },
    { ...shared, event: "pull_request_target" },
  ];
}

function happeningsOfReview(pull: PullRequest, action: string, review: Review | undefined): Happening[] {
  if (action === "requested") return happeningsOfPull(pull, "review_requested");
  if (action === "request_removed") return happeningsOfPull(pull, "review_request_removed");
  if (!["approved", "rejected", "comment"].includes(action)) return [];
  const place = { ref: pullHeadRef(pull.number), commitId: pull.pull.headId };
  const shared = { pull, place, supersedes: false } as const;
  const hasComments = action === "comment" || (review !== undefined && review.commentIds.length > 0);
  return [
    { ...shared, event: "pull_request_review", type: "submitted" },
    ...(hasComments ? [{ ...shared, event: "pull_request_review_comment", type: "created" } as const] : []),
  ];
}

/** Where the runs of a happening lie; undefined when the branch is not there. */
export async function placeOfHappening(
  code: Code,
  { place, event, pull, tag }: Happening,
  defaultBranch: string,
): Promise<NonNullable<Happening["place"]> | undefined> {
  if (place !== undefined) return place;
  const tagged = tag === undefined ? undefined : await findCommit(code, tagPrefix + tag);
  if (tagged !== undefined) return { ref: `${tagPrefix}${tag}`, commitId: tagged.id };
  const branch = event === "pull_request_target" ? (pull?.pull.base ?? defaultBranch) : defaultBranch;
  const commit = await findCommit(code, branchPrefix + branch);
  return commit === undefined ? undefined : { ref: branchPrefix + branch, commitId: commit.id };
}
