import { accountProblem } from "#core/access/account";
import { accessMode, modeOf } from "#core/access/modes";
import { isHiddenFromToken, publicOnlyRefusal } from "#core/access/public-only";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { forbidden, missingRights, notFound, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { mayBeGuest } from "#core/pull/maintainer-edit";
import { missingScope } from "#core/token/scope";

/** What a request of Git LFS wants: each has rights of its own (semantics §55.2). */
export type LfsOperation = "download" | "upload" | "list-locks" | "own-locks" | "lock";

interface Demands {
  readonly level: "read" | "write";
  readonly needsLogin: boolean;
  /** Refused where nothing may be changed. */
  readonly changes: boolean;
}

const demands: Readonly<Record<LfsOperation, Demands>> = {
  download: { level: "read", needsLogin: false, changes: false },
  upload: { level: "write", needsLogin: true, changes: true },
  "list-locks": { level: "read", needsLogin: true, changes: false },
  "own-locks": { level: "write", needsLogin: true, changes: false },
  lock: { level: "write", needsLogin: true, changes: true },
};

/** Refuses a caller before the repository is looked at: their account, the instance, or a token that is not for this. */
export function requireCaller({ config }: Forge, actor: Actor | undefined, operation: LfsOperation): void {
  const { level, needsLogin } = demands[operation];
  const problem = actor === undefined ? undefined : accountProblem(actor.user);
  if (problem !== undefined) throw problem;
  if (actor === undefined && (needsLogin || config.requireSigninView))
    throw unauthorized("log in to do this");
  const missing = missingScope(actor?.grant, ["repository"], level);
  if (missing !== undefined) throw forbidden(`the token lacks the scope ${missing}`);
}

/** Refuses a caller on the repository; NotFound when they may not know of it (D-HIDDEN), or not read its code. */
export async function requireAccess(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess | undefined,
  operation: LfsOperation,
): Promise<RepositoryAccess> {
  const { level, changes } = demands[operation];
  const mode = access === undefined ? accessMode.none : modeOf(access.rights, "code");
  if (access === undefined || mode < accessMode.read) throw notFound("repository does not exist");
  if (isHiddenFromToken(actor, access)) throw publicOnlyRefusal();
  if (level === "write" && mode < accessMode.write) {
    const mayUpload = operation === "upload" && actor !== undefined;
    const isGuest = mayUpload && (await mayBeGuest(forge, actor, access.repository.id));
    if (!isGuest) throw missingRights("this needs write rights on the repository");
  }
  if (changes && access.repository.isArchived) throw forbidden("the repository is archived and read-only");
  if (changes && access.repository.isMirror) {
    throw forbidden("the repository is a mirror: it takes no large files");
  }
  return access;
}
