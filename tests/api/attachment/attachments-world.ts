import { afterAll, beforeAll, beforeEach } from "vitest";
import { type AttachmentWorld, startAttachments } from "./world.ts";

export let world: AttachmentWorld;

export const kinds = [
  {
    noun: "Issue",
    path: () => world.onIssue(),
    owners: () => [world.author, world.writer, world.owner],
    strangers: () => [world.reader],
  },
  {
    noun: "IssueComment",
    path: () => world.onComment(),
    owners: () => [world.author, world.owner],
    strangers: () => [world.reader, world.writer],
  },
];
/** For people who look for the tests of an operation. */
export const ids = {
  Issue: {
    create: "issueCreateIssueAttachment",
    list: "issueListIssueAttachments",
    get: "issueGetIssueAttachment",
    edit: "issueEditIssueAttachment",
    delete: "issueDeleteIssueAttachment",
  },
  IssueComment: {
    create: "issueCreateIssueCommentAttachment",
    list: "issueListIssueCommentAttachments",
    get: "issueGetIssueCommentAttachment",
    edit: "issueEditIssueCommentAttachment",
    delete: "issueDeleteIssueCommentAttachment",
  },
} as const;

/** Makes it before the tests of a file, and takes it away after them. */
export function useAttachments(): void {
  beforeAll(async () => {
    world = await startAttachments();
  });
  beforeEach(() => world.begin());
  afterAll(() => world.api.stop());
}
