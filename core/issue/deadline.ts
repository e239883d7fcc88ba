import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { changeAsWriter } from "./change/change-as-writer.ts";
import type { Issue } from "./issue.table.ts";

/** Sets an issue's deadline, in whole seconds; 0: none. Forbidden for callers who may not write issues. */
export const setIssueDeadline = (
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  dueAt: number,
  actor: Actor,
): Promise<Issue> => changeAsWriter(forge, access, number, actor, (issue) => ({ ...issue, dueAt }));
