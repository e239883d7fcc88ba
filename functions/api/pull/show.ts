import type { RepositoryAccess } from "#core/access/repository-access";
import type { Forge } from "#core/forge";
import { showPulls } from "#core/pull/details";
import type { PullRequest } from "#core/pull/pull.table";
import type { View } from "../../http/answer/view.ts";
import { presentPulls } from "./present.ts";
import type { PullRequestJson } from "./schema.ts";

/** Reads what pull requests of a repository refer to, and presents them with it. */
export const showAll = async (
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  pulls: readonly PullRequest[],
): Promise<PullRequestJson[]> => presentPulls(view, await showPulls(forge, view.actor, access, pulls));

/** The same for one. */
export async function showPull(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  pull: PullRequest,
): Promise<PullRequestJson> {
  const [shown] = await showAll(forge, view, access, [pull]);
  return shown as PullRequestJson;
}
