import { accountProblem } from "#core/access/account";
import { accessMode, modeOf } from "#core/access/modes";
import { findAccess, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { isForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import * as repositories from "#core/repository/repository";
import { missingScope } from "#core/token/scope";
import {
  authenticate,
  type Caller,
  type Credentials,
  credentialsIn,
  noteTokenUse,
  readCallerAhead,
} from "../api/auth.ts";
import { clientAddressOf } from "../client-address.ts";
import type { GitRefusal, GitRequest, GitResolver, GitService } from "./resolve-contract.ts";

/**
 * Finds the repository of a git request and what its caller may do there (semantics §29): the same credentials and
 * rights as in the API. What the caller may not see is 404, worded as though absent.
 */
export function createGitResolver(forge: Forge): GitResolver {
  return async (request) => {
    const address = clientAddressOf(request.environment, request.headers, forge.config);
    const credentials = credentialsIn(request.headers, address);
    const ahead = await readCallerAhead(forge, credentials, request);
    const caller = await identify(ahead, request, credentials);
    if ("ok" in caller) return caller;
    const { actor } = caller;
    const found = await findRepository(ahead, request, actor);
    if ("ok" in found) return found;
    const refusal = request.service === "receive" ? pushRefusal(actor, found) : undefined;
    if (refusal !== undefined) return refusal;
    const { repository } = found;
    if (actor === undefined) return { ok: true, repository };
    const rules = request.service === "receive" ? repositories.pushRules(forge, repository, actor) : {};
    return { ok: true, repository, actorId: actor.user.id, ...rules };
  };
}

const refuse = (status: GitRefusal["status"], message: string): GitRefusal => ({
  ok: false,
  status,
  message,
});

const levels = { upload: "read", receive: "write" } as const satisfies Record<GitService, string>;

/** Who is calling, with a token that may be used for this; or why not. */
async function identify(
  forge: Forge,
  { service }: GitRequest,
  credentials: Credentials,
): Promise<{ readonly actor: Actor | undefined } | GitRefusal> {
  let caller: Caller;
  try {
    caller = await authenticate(forge, credentials);
  } catch (error) {
    if (isForgeError(error, "unauthorized")) return refuse(401, error.message);
    if (isForgeError(error, "rate-limited")) {
      return { ...refuse(429, error.message), retryAfterSeconds: error.retryAfterSeconds ?? 60 };
    }
    throw error;
  }
  await noteTokenUse(forge, caller);
  const { actor } = caller;
  const problem = actor === undefined ? undefined : accountProblem(actor.user);
  if (problem !== undefined) return refuse(403, problem.message);
  if (actor === undefined && forge.config.requireSigninView) {
    return refuse(401, "this instance answers signed-in callers only");
  }
  const missing = missingScope(actor?.grant, ["repository"], levels[service]);
  return missing === undefined ? { actor } : refuse(403, `the token lacks the scope ${missing}`);
}

async function findRepository(
  forge: Forge,
  { owner, repo }: GitRequest,
  actor: Actor | undefined,
): Promise<RepositoryAccess | GitRefusal> {
  const access = await findAccess(forge, actor, owner, repo);
  if (access === undefined || modeOf(access.rights, "code") < accessMode.read) {
    return refuse(404, `repository does not exist [${owner}/${repo}]`);
  }
  if (actor?.grant?.isPublicOnly === true && access.repository.isPrivate) {
    return refuse(403, "the token is limited to what is public");
  }
  return access;
}

function pushRefusal(
  actor: Actor | undefined,
  { repository, rights }: RepositoryAccess,
): GitRefusal | undefined {
  if (actor === undefined) return refuse(401, "log in to push");
  if (modeOf(rights, "code") < accessMode.write) return refuse(403, "you may not push to this repository");
  if (repository.isArchived) return refuse(403, "the repository is archived and read-only");
  if (repository.isMirror) return refuse(403, "the repository is a mirror: it takes no pushes");
  return undefined;
}
