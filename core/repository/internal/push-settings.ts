import { isRepositoryAdmin } from "../../access/modes.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { defined } from "../../defined.ts";
import { ForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { editRepository, type RepositoryChanges } from "../edit.ts";
import { findPushFlag } from "../push-option.ts";

type PushedSettings = Pick<RepositoryChanges, "isPrivate" | "isTemplate">;

const names: ReadonlyMap<string, keyof PushedSettings> = new Map([
  ["repo.private", "isPrivate"],
  ["repo.template", "isTemplate"],
]);
/** The settings that push options ask for. An option without a value means true; one that is no boolean is ignored. */
function settingsIn(options: readonly string[]): PushedSettings {
  const asked = [...names].map(([name, setting]) => [setting, findPushFlag(options, name)] as const);
  return defined(Object.fromEntries(asked));
}

/**
 * Changes the settings that the push options `repo.private` and `repo.template` ask for, with the rules of
 * `editRepository`, if the pusher administers the repository. Answers lines for the pusher when it was not done. The
 * push itself has landed.
 */
export async function applyPushOptions(
  forge: Forge,
  actor: Actor,
  { repository, rights }: RepositoryAccess,
  options: readonly string[],
): Promise<string[]> {
  const changes = settingsIn(options);
  if (Object.keys(changes).length === 0) return [];
  if (!isRepositoryAdmin(rights)) {
    return ["repo.private and repo.template were left alone: they take an administrator of the repository"];
  }
  try {
    await editRepository(forge, actor, repository, changes);
    return [];
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return [`repo.private and repo.template were left alone: ${error.message}`];
  }
}
