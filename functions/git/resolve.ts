import { accountProblem } from "#core/access/account";
import { accessMode, modeOf } from "#core/access/modes";
import { isShut, publicOnlyRefusal } from "#core/access/public-only";
import { findAccess, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { isForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import { rootKey } from "#core/git/refs/refs.table";
import * as repositories from "#core/repository/repository";
import type { Repository } from "#core/repository/repository.table";
import { forgeOnceWith } from "#core/table/read-ahead";
import { missingScope } from "#core/token/scope";
import * as wikis from "#core/wiki/wiki";
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
export function createGitResolver(given: Forge): GitResolver {
  return async (asked) => {
    const forge = { ...given, log: asked.log };
    const request = withUnit(asked);
    const address = clientAddressOf(request.environment, request.headers, forge.config);
    const credentials = credentialsIn(request.headers, address);
    // Said of what is not there too, and without a look: git asks so before it shows what it has.
    if (request.service === "receive" && credentials.authorization === undefined) return anonymousPush;
    const keys = request.opens && request.unit === "code" ? (id: number) => [rootKey(id)] : undefined;
    const { forge: ahead, read } = await readCallerAhead(forge, credentials, {
      ...request,
      ...(keys && { keys }),
    });
    const caller = await identify(ahead, request, credentials);
    if ("ok" in caller) return caller;
    const { actor } = caller;
    const found = await findRepository(ahead, request, actor);
    if ("ok" in found) return found;
    const refusal = request.service === "receive" ? pushRefusal(actor, found, request.unit) : undefined;
    if (refusal !== undefined) return refusal;
    const place = await placeOf(forge, found.repository, request);
    if (place === undefined) return refuse(404, "this wiki has no page yet: push one");
    const resolved = {
      ok: true,
      repository: place,
      doors: forgeOnceWith(forge, read, [rootKey(place.id)]),
    } as const;
    if (actor === undefined) return resolved;
    const rules = request.service === "receive" ? rulesFor(forge, found.repository, actor, request.unit) : {};
    return { ...resolved, actorId: actor.user.id, ...rules };
  };
}

/** A request with the part of the repository that it is for: its code, or the wiki beside it (`<name>.wiki.git`). */
interface UnitRequest extends GitRequest {
  readonly unit: "code" | "wiki";
}

const withUnit = (request: GitRequest): UnitRequest =>
  /\.wiki$/i.test(request.repo)
    ? { ...request, repo: request.repo.slice(0, -".wiki".length), unit: "wiki" }
    : { ...request, unit: "code" };

/** Where the git data lies. A wiki gets a place with its first push; before that there is nothing to fetch. */
async function placeOf(forge: Forge, repository: Repository, { unit, service }: UnitRequest) {
  if (unit === "code") return repository;
  if (service === "upload" && repository.wikiId === undefined) return undefined;
  const { wikiId, objectFormat } = await wikis.withWiki(forge, repository);
  return { id: wikiId, objectFormat };
}

const rulesFor = (forge: Forge, repository: Repository, actor: Actor, unit: UnitRequest["unit"]) =>
  unit === "wiki"
    ? wikis.pushRules(forge, repository, actor)
    : repositories.pushRules(forge, repository, actor);

const refuse = (status: GitRefusal["status"], message: string): GitRefusal => ({
  ok: false,
  status,
  message,
});

const anonymousPush = refuse(401, "log in to push");

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
  { owner, repo, unit }: UnitRequest,
  actor: Actor | undefined,
): Promise<RepositoryAccess | GitRefusal> {
  const access = await findAccess(forge, actor, owner, repo);
  if (access === undefined || modeOf(access.rights, unit) < accessMode.read) {
    return refuse(404, `repository does not exist [${owner}/${repo}${unit === "wiki" ? ".wiki" : ""}]`);
  }
  if (isShut(actor, access)) return refuse(403, publicOnlyRefusal().message);
  return access;
}

function pushRefusal(
  actor: Actor | undefined,
  { repository, rights }: RepositoryAccess,
  unit: UnitRequest["unit"],
): GitRefusal | undefined {
  if (actor === undefined) return anonymousPush;
  if (modeOf(rights, unit) < accessMode.write) return refuse(403, "you may not push to this repository");
  if (repository.isArchived) return refuse(403, "the repository is archived and read-only");
  if (repository.isMirror && unit === "code")
    return refuse(403, "the repository is a mirror: it takes no pushes");
  return undefined;
}
