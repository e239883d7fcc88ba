import { grantChecks } from "../access/grants.ts";
import { accessMode, modeOf } from "../access/modes.ts";
import type { FoundAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { RefChange, Verdict } from "../git/refs/check-changes.ts";
import type { Write } from "../table/write.ts";
import { findPusher, lostRights } from "./pusher.ts";
import type { Repository } from "./repository.table.ts";

/** Who may push to a repository's code, for one attempt of a push. */
export interface CodePusher {
  readonly access: FoundAccess;
  /** They may not write here, but where pull requests from here go: rules of branches count for them as for strangers. */
  readonly isGuest: boolean;
  /** What their rights alone say of each change, in order. */
  readonly verdicts: readonly Verdict[];
  /** That their rights are as they were read, for the push's transaction. */
  readonly checks: readonly Write[];
}

/**
 * The present rights of `actor` to make these changes, as a writer of `unit`; or why nothing may be pushed at all.
 */
export async function findCodePusher(
  forge: Forge,
  actor: Actor,
  repository: Pick<Repository, "id" | "ownerId">,
  changes: readonly RefChange[],
  unit: "code" | "releases" = "code",
): Promise<CodePusher | string> {
  const pusher = await findPusher(forge, actor, repository);
  if (typeof pusher === "string") return pusher;
  const { access } = pusher;
  if (modeOf(access.rights, unit) >= accessMode.write) {
    const verdicts = changes.map(() => undefined);
    return { access, isGuest: false, verdicts, checks: grantChecks(access.grants) };
  }
  const { judgeGuest } = await import("../pull/maintainer-edit.ts"); // few pushers are guests
  const judged = await judgeGuest(forge, pusher, changes);
  return judged === undefined ? lostRights : { access, isGuest: true, ...judged };
}
