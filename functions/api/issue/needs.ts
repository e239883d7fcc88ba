import type { RepositoryAccess } from "#core/access/repository-access";
import type { Forge } from "#core/forge";
import { requireIssueWritable } from "#core/issue/change/change-as-writer";
import { issueKey } from "#core/issue/issue.table";
import type { TableKey } from "#core/table/write";

/** Issues and pulls share these paths: one of the two units is enough to reach them. */
export const eitherUnit = ["issues", "pulls"] as const;

/** Of operations that read issues and pulls. */
export const readsIssues = { scope: ["issue"], repository: { mode: "read", unit: eitherUnit } } as const;
/** The same for signed-in callers alone. */
export const readsIssuesSignedIn = { ...readsIssues, login: true } as const;

/** The issue in a path, read together with the caller. */
export const issueAhead = (repositoryId: number, { index }: { readonly index: number }): TableKey[] => [
  issueKey(repositoryId, index),
];

/** A caller who asks for a change that only writers of an issue may make. */
export interface WriterRequest {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly params: { readonly index: number };
}
export const requireWritable = ({ forge, access, params }: WriterRequest): Promise<void> =>
  requireIssueWritable(forge, access, params.index);

/** The common part of all operations that only writers of an issue may call. */
export const byWriters = {
  tag: "issue",
  needs: readsIssuesSignedIn,
  thingRights: requireWritable,
} as const;
