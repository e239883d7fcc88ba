import type { Forge } from "#core/forge";
import { findEventDetail } from "#core/hook/event-detail";
import type { PackageEvent, RepositoryEvent } from "#core/hook/events";
import { type Issue, issueKey } from "#core/issue/issue.table";
import { isPullRequest, type PullRequest } from "#core/pull/pull.table";
import { findRelease } from "#core/release/release";
import type { Release } from "#core/release/release.table";
import { type Review, reviewKey } from "#core/review/review.table";

/** An event of a repository, or of a package that belongs to one. */
export type WorkflowEvent = (RepositoryEvent | (PackageEvent & { readonly repositoryId: number })) & {
  readonly eventId: string;
};

/** What an event is about, as far as workflows ask; absent when it is gone. */
export interface About {
  readonly pull?: PullRequest;
  readonly review?: Review;
  /** The tag of a release. */
  readonly tag?: string;
}

/** Reads what an event is about. */
export async function findAbout(forge: Forge, event: WorkflowEvent): Promise<About> {
  switch (event.kind) {
    case "issue":
    case "issue-comment":
      return findPull(forge, event);
    case "review": {
      const { repositoryId, index, reviewId } = event;
      const [about, review] = await Promise.all([
        findPull(forge, event),
        forge.table.get<Review>(reviewKey(repositoryId, index, reviewId)),
      ]);
      return { ...about, ...(review && { review }) };
    }
    case "release": {
      const { removed } = event.action === "deleted" ? await findEventDetail(forge, event.eventId) : {};
      const release =
        (removed as Release | undefined) ?? (await findRelease(forge, event.repositoryId, event.number));
      return release === undefined ? {} : { tag: release.tagName };
    }
    default:
      return {};
  }
}

async function findPull(
  { table }: Forge,
  { repositoryId, index }: { readonly repositoryId: number; readonly index: number },
): Promise<About> {
  const issue = await table.get<Issue>(issueKey(repositoryId, index));
  return issue !== undefined && isPullRequest(issue) ? { pull: issue } : {};
}
