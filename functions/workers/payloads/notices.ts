import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import type { RepositoryEvent } from "#core/hook/events";
import { commentNotice } from "./comment.ts";
import { issueNotice } from "./issue.ts";
import { type IsWanted, pushNotices, testNotices } from "./push.ts";
import { releaseNotice } from "./release.ts";
import { forkNotice, repositoryNotice, wikiNotice } from "./repository.ts";
import { reviewNotice } from "./review.ts";
import type { Subject } from "./subject.ts";

/** The notices of an event for hooks (semantics §27.4), made one by one; none when its subject is gone. */
export async function* noticesOf(
  forge: Forge,
  event: RepositoryEvent & { readonly eventId: string },
  subject: Subject,
  isWanted: IsWanted,
): AsyncIterable<Notice> {
  switch (event.kind) {
    case "push":
      return yield* pushNotices(forge, event, subject, isWanted);
    case "status":
      return;
    case "review":
      return yield* await reviewNotice(forge, event, subject, isWanted);
    case "hook-test":
      return yield* testNotices(forge, event, subject);
    case "issue":
      return yield* await issueNotice(forge, event, subject, isWanted);
    case "issue-comment":
      return yield* await commentNotice(forge, event, subject, isWanted);
    case "wiki":
      if (await isWanted({ eventType: "wiki" })) yield await wikiNotice(forge, event, subject);
      return;
    case "release":
      return yield* await releaseNotice(forge, event, subject, isWanted);
    case "repository-created":
      yield repositoryNotice(subject, "created");
      return;
    case "repository-forked":
      yield* await forkNotice(forge, event, subject);
      return;
    case "repository-deleted":
      yield repositoryNotice(subject, "deleted");
      return;
  }
}
