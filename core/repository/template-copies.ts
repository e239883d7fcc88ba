import { isRepositoryAdmin } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import * as protections from "../branch-protection/branch-protection.ts";
import { forbidden, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import * as hooks from "../hook/hook.ts";
import * as labels from "../label/label.ts";
import type { Write } from "../table.ts";

/** What beside files, topics and picture is to be copied of a template. */
export interface CopiedSettings {
  readonly copiesLabels: boolean;
  readonly copiesHooks: boolean;
  readonly copiesProtections: boolean;
}

/** They are all written in the transaction that creates the repository, which holds no more. */
const mostCopied = 60;

/**
 * Labels, webhooks and branch protections of a template, for the transaction that creates a repository of it. Webhooks
 * hold secrets, and protections name people: 403 for who does not administer the template. 422 when they are too many.
 */
export async function copiedSettings(
  forge: Forge,
  { repository: template, rights }: RepositoryAccess,
  repositoryId: number,
  { copiesLabels, copiesHooks, copiesProtections }: CopiedSettings,
): Promise<Write[]> {
  if ((copiesHooks || copiesProtections) && !isRepositoryAdmin(rights)) {
    throw forbidden("only the template's administrators may copy its webhooks and branch protections");
  }
  const from = { kind: "repository", id: template.id } as const;
  const to = { kind: "repository", id: repositoryId } as const;
  const writes = await Promise.all([
    copiesLabels ? labels.newLabels(forge, to, await labels.list(forge, from)) : [],
    copiesHooks ? hooks.copyWrites(forge, to, await hooks.list(forge, from)) : [],
    copiesProtections ? protections.copyWrites(forge, from.id, to.id) : [],
  ]);
  const all = writes.flat();
  if (all.length > mostCopied) {
    throw unprocessable(
      `the template has ${all.length} labels, webhooks and branch protections of those asked for; at most ${mostCopied} are copied: ask for fewer kinds`,
    );
  }
  return all;
}
