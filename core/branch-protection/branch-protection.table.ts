import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** Who may do something: users and teams by their ids. */
export interface Allowed {
  readonly userIds: readonly number[];
  readonly teamIds: readonly number[];
}

/** The demands of a rule on its branches (semantics §12.2). */
export interface ProtectionSettings {
  /** Direct pushes are allowed at all. */
  readonly allowsPush: boolean;
  /** Only these may push; everybody with write rights when absent. */
  readonly pushers: Allowed | undefined;
  readonly allowsDeployKeys: boolean;
  /** Only these may merge; everybody with write rights when absent. */
  readonly mergers: Allowed | undefined;
  /** Globs over contexts that must succeed. An empty list demands all contexts; absent: none. */
  readonly requiredContexts: readonly string[] | undefined;
  readonly requiredApprovals: number;
  /** The users whose approvals count; absent: everybody with write rights. */
  readonly approvers: Allowed | undefined;
  readonly blocksOnRejectedReviews: boolean;
  readonly blocksOnReviewRequests: boolean;
  readonly blocksOnOutdatedBranch: boolean;
  readonly dismissesStaleApprovals: boolean;
  /** Approvals from before later pushes do not count (B-11). */
  readonly ignoresStaleApprovals: boolean;
  readonly requiresSignedCommits: boolean;
  /** Globs, `;` between them. */
  readonly protectedFiles: string;
  readonly unprotectedFiles: string;
  readonly appliesToAdmins: boolean;
}

/** A rule that protects branches. Times are whole seconds. */
export interface BranchProtection extends Item, ProtectionSettings {
  /** An order of rules names it. */
  readonly id: number;
  /** A branch's name, or a glob over names. */
  readonly ruleName: string;
  /** Of several globs that match a branch, the one with the lowest priority counts. */
  readonly priority: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

const prefix = "BP#";
/** Names of rules differ by more than case. */
export const protectionKey = (repositoryId: number, ruleName: string): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${prefix}${ruleName.toLowerCase()}`,
});
/** All rules of a repository. */
export const protectionsOf = (repositoryId: number) => ({ pk: repositoryPartition(repositoryId), prefix });
