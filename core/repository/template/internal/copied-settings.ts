import { isRepositoryAdmin } from "../../../access/modes.ts";
import type { RepositoryAccess } from "../../../access/repository-access.ts";
import { branchProtectionCopyWrites } from "../../../branch-protection/branch-protection.ts";
import { forbidden } from "../../../errors.ts";
import type { Forge } from "../../../forge.ts";
import { hookCopyWrites } from "../../../hook/copy.ts";
import { listHooks } from "../../../hook/hook.ts";
import { listLabels, newLabels } from "../../../label/label.ts";
import type { Write } from "../../../table/write.ts";

/** The parts of a template to copy, beside files, topics and picture. */
export interface CopiedSettings {
  readonly copiesLabels: boolean;
  readonly copiesHooks: boolean;
  readonly copiesProtections: boolean;
}

/**
 * Labels, webhooks and branch protections of a template, for a repository that is about to be created from it. Webhooks
 * hold secrets, and protections name people: 403 for callers who don't administer the template.
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
    copiesLabels ? newLabels(forge, to, await listLabels(forge, from)) : [],
    copiesHooks ? hookCopyWrites(forge, to, await listHooks(forge, from)) : [],
    copiesProtections ? branchProtectionCopyWrites(forge, from.id, to.id) : [],
  ]);
  return writes.flat();
}
