import { accountProblem } from "#core/access/account";
import { accessMode, modeOf } from "#core/access/modes";
import { isHiddenFromToken, publicOnlyRefusal } from "#core/access/public-only";
import { findAccess, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { type Counted, countRequest, tryCount } from "#core/caller/rates";
import { defined } from "#core/defined";
import { isForgeError, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { rootKey } from "#core/git/store/refs/refs.table";
import { mayBeGuest } from "#core/pull/maintainer-edit";
import { closedText, repositoryPushRules } from "#core/repository/push";
import type { Repository } from "#core/repository/repository.table";
import { forgeOnceWith } from "#core/table/read-ahead";
import { missingScope } from "#core/token/scope";
import { wikiPushRules, withWiki } from "#core/wiki/store";
import { type Caller, credentialsIn, noteCaller } from "../http/caller/authentication.ts";
import { countedCaller } from "../http/caller/counted-caller.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { hintLines } from "./push-hints.ts";
import type {
  GitRefusal,
  GitRequest,
  GitResolver,
  GitService,
  ResolvedRepository,
} from "./resolve-contract.ts";

/**
 * Finds the repository of a git request and its caller's rights there (semantics §29): the same credentials and rights
 * as in the API. A hidden repository is 404, worded as though absent.
 */
export function createGitResolver(given: Forge): GitResolver {
  return (asked) => resolve({ ...given, log: asked.log }, withUnit(asked)).catch(refusalOf);
}

async function resolve(forge: Forge, request: UnitRequest): Promise<ResolvedRepository | GitRefusal> {
  const address = clientAddressOf(request.environment, request.headers, forge.config);
  const credentials = credentialsIn(request.headers, address);
  // Also said of missing repositories, and without a look: git asks this before it shows its credentials.
  if (request.service === "receive" && credentials.authorization === undefined) return anonymousPush;
  const keys = request.opens && request.unit === "code" ? (id: number) => [rootKey(id)] : undefined;
  const named = { ...request, ...defined({ keys }) };
  const count = (who: Counted) => countGit(forge, who, request);
  const {
    caller,
    ahead: { forge: ahead, read },
  } = await countedCaller(forge, credentials, { named, count });
  await noteCaller(ahead, caller);
  const { actor } = caller;
  const problem = callerProblem(forge, caller, request);
  if (problem !== undefined) return problem;
  const found = await findRepository(ahead, request, actor);
  if ("ok" in found) return found;
  if (found.repository.isMigrating === true) return beingMigrated;
  if (actor === undefined && request.isFirst) countFetch(forge, { address });
  const refusal =
    request.service === "receive" ? await pushRefusal(forge, actor, found, request.unit) : undefined;
  if (refusal !== undefined) return refusal;
  const place = await placeOf(forge, found.repository, request);
  if (place === undefined) return refuse(404, "this wiki has no page yet: push one");
  const resolved = {
    ok: true,
    repository: place,
    stores: forgeOnceWith(forge, read, [rootKey(place.id)]),
  } as const;
  if (actor === undefined) return resolved;
  const rules = request.service === "receive" ? rulesFor(forge, found, actor, request.unit) : {};
  return { ...resolved, actorId: actor.user.id, ...rules };
}

/**
 * Counts a request (D-RATE). Git sends no credentials before it was asked for some: the first request without any
 * counts as a look at first, and the fetch that it begins counts once the repository has shown to be public. A user
 * with an account is asked for credentials even when others of their network have sent too much.
 */
function countGit(forge: Forge, who: Counted, { isFirst }: GitRequest): void {
  if (!isFirst) countRequest(forge, who, "git-request");
  else if ("userId" in who) countFetch(forge, who);
  else if (tryCount(forge, who, "light") > 0) {
    throw unauthorized("many requests came from your network: log in, or try again in a minute");
  }
}

function countFetch(forge: Forge, who: Counted): void {
  countRequest(forge, who, "git-request");
  countRequest(forge, who, "git");
}

function refusalOf(error: unknown): GitRefusal {
  if (isForgeError(error, "unauthorized")) return refuse(401, error.message);
  if (!isForgeError(error, "rate-limited")) throw error;
  return { ...refuse(429, error.message), retryAfterSeconds: error.retryAfterSeconds ?? 60 };
}

/** A request with the part of the repository that it is for: its code, or the wiki beside it (`<name>.wiki.git`). */
interface UnitRequest extends GitRequest {
  readonly unit: "code" | "wiki";
}

const withUnit = (request: GitRequest): UnitRequest =>
  /\.wiki$/i.test(request.repo)
    ? { ...request, repo: request.repo.slice(0, -".wiki".length), unit: "wiki" }
    : { ...request, unit: "code" };

/** The place of the git data. A wiki gets one with its first push; before that there is nothing to fetch. */
async function placeOf(forge: Forge, repository: Repository, { unit, service }: UnitRequest) {
  if (unit === "code") return repository;
  if (service === "upload" && repository.wikiId === undefined) return undefined;
  const { wikiId, objectFormat } = await withWiki(forge, repository);
  return { id: wikiId, objectFormat };
}

function rulesFor(
  forge: Forge,
  access: RepositoryAccess,
  actor: Actor,
  unit: UnitRequest["unit"],
): PushRulesOfGit {
  const { repository } = access;
  if (unit === "wiki") {
    const rules = wikiPushRules(forge, repository, actor);
    return { ...rules, afterPush: async (facts) => (await rules.afterPush(facts)).lines };
  }
  const rules = repositoryPushRules(forge, repository, actor);
  return {
    ...rules,
    async afterPush(facts) {
      const { lines, ...pushed } = await rules.afterPush(facts);
      return [...lines, ...(await hintLines(forge, actor, access, { facts, ...pushed }))];
    },
  };
}

type PushRulesOfGit = Pick<ResolvedRepository, "judge" | "chooseHead" | "extraWrites" | "afterPush">;

const refuse = (status: GitRefusal["status"], message: string): GitRefusal => ({
  ok: false,
  status,
  message,
});

const anonymousPush = refuse(401, "log in to push");

const levels = { upload: "read", receive: "write" } as const satisfies Record<GitService, string>;

/** Why a caller gets no further, whatever they ask for: their account, the instance, or a token that is not for this. */
function callerProblem(
  { config }: Forge,
  { actor }: Caller,
  { service }: GitRequest,
): GitRefusal | undefined {
  const problem = actor === undefined ? undefined : accountProblem(actor.user);
  if (problem !== undefined) return refuse(403, problem.message);
  if (actor === undefined && config.requireSigninView) {
    return refuse(401, "this instance answers signed-in callers only");
  }
  const missing = missingScope(actor?.grant, ["repository"], levels[service]);
  return missing === undefined ? undefined : refuse(403, `the token lacks the scope ${missing}`);
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
  if (isHiddenFromToken(actor, access)) return refuse(403, publicOnlyRefusal().message);
  return access;
}

async function pushRefusal(
  forge: Forge,
  actor: Actor | undefined,
  { repository, rights }: RepositoryAccess,
  unit: UnitRequest["unit"],
): Promise<GitRefusal | undefined> {
  if (actor === undefined) return anonymousPush;
  if (modeOf(rights, unit) < accessMode.write) {
    const isGuest = unit === "code" && (await mayBeGuest(forge, actor, repository.id));
    if (!isGuest) return refuse(403, unit === "code" ? readersText : "you may not push to this wiki");
  }
  if (repository.isArchived) return refuse(403, "the repository is archived and read-only");
  const closed = unit === "code" ? closedText(repository) : undefined;
  return closed === undefined ? undefined : refuse(403, closed);
}

/** Clones would be empty, and pushes would be overwritten (D-MIGRATE). */
const beingMigrated: GitRefusal = {
  ...refuse(503, "the repository is being brought here from elsewhere: try again later"),
  retryAfterSeconds: 30,
};

const readersText =
  "you may not push to this repository: push to a fork of it, and open a pull request from there";
