import { accessMode, modeOf } from "#core/access/modes";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Branch } from "#core/branch/branch";
import type { User } from "#core/user/user.table";
import { presentPayloadCommit } from "../commit/payload-commit.ts";
import type { View } from "../view.ts";
import type { BranchJson } from "./schema.ts";

/** A branch as the caller may see it; `people` are the accounts behind the addresses in its commit. */
export function presentBranch(
  view: View,
  access: RepositoryAccess,
  branch: Branch,
  people: ReadonlyMap<string, User>,
): BranchJson {
  const mayWrite = modeOf(access.rights, "code") >= accessMode.write;
  const { name, commitId: id, commit, verification } = branch;
  return {
    name,
    commit: presentPayloadCommit(view, access, { id, commit, verification, people }),
    protected: false,
    required_approvals: 0,
    enable_status_check: false,
    status_check_contexts: [],
    user_can_push: mayWrite,
    user_can_merge: mayWrite,
    effective_branch_protection_name: "",
  };
}
