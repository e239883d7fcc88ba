import type { RepositoryAccess } from "#core/access/repository-access";
import { accessKeysById, findAccess, findAccessById, keysAhead } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { countRequest } from "#core/caller/rates";
import { unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { forgeOnceWith, forgeWith, type ReadAhead, readAhead } from "#core/table/read-ahead";
import type { TableKey } from "#core/table/write";
import { renewActor, renewalKeys } from "#core/token/holder";
import type { RequestBody } from "../http/body/request-body.ts";
import type { Call } from "../http/call.ts";
import { credentialsIn, noteCaller } from "../http/caller/authentication.ts";
import { countedAs, countedCaller } from "../http/caller/counted-caller.ts";
import { actorNamed, namedCallerKeys } from "../http/caller/named-caller.ts";
import { findAuthorizedCaller, isLfsAuthorization, openLfsAuthorization } from "./authorization.ts";
import { type LfsOperation, requireAccess, requireCaller } from "./operation.ts";

/** A request of Git LFS whose caller may do what it wants. */
export interface LfsRequest {
  readonly forge: Forge;
  readonly request: Request;
  readonly url: URL;
  readonly access: RepositoryAccess;
  /** Absent for anonymous callers, who only download. */
  readonly actor: Actor | undefined;
  /** The upload of the authorization that the caller showed, if it was one of a batch. */
  readonly uploadId: string | undefined;
  /** Of the path, behind the repository. */
  readonly params: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  readonly signal: AbortSignal;
  /** Asks again whether the caller may do this, and reads these keys with it: for `requireStill`. */
  requireAllowed(keys: readonly TableKey[]): Promise<Forge>;
}

/** Where a request goes, and what it wants there. */
export interface LfsTarget {
  readonly owner: string;
  readonly repo: string;
  /** What one wants may stand in its body; this is what it takes to read that. */
  readonly operation: LfsOperation;
  /** What the request reads of a repository of this id. */
  readonly keys: (repositoryId: number) => readonly TableKey[];
}

/** The caller, and what they may do. */
export type LfsCaller = Pick<LfsRequest, "access" | "actor" | "uploadId"> & {
  /** The forge that knows what was read with the caller. */
  readonly ahead: (forge: Forge) => Forge;
  readonly noteUse: () => Promise<void>;
};

/** Finds the caller by their credentials or by what a batch gave them, and checks their rights on the repository. */
export async function findLfsCaller(call: Call, target: LfsTarget): Promise<LfsCaller> {
  const { forge, request, address } = call;
  const { owner, repo, operation, keys } = target;
  const header = request.headers.get("authorization") ?? undefined;
  if (isLfsAuthorization(header)) return authorizedCaller(call, header, target);
  const credentials = credentialsIn(request.headers, address);
  const { caller, ahead } = await countedCaller(forge, credentials, {
    named: { owner, repo, keys },
    count: (who) => countRequest(forge, who, "light"),
  });
  const { actor } = caller;
  requireCaller(forge, actor, operation);
  const found = await findAccess(ahead.forge, actor, owner, repo);
  const access = await requireAccess(forge, actor, found, operation);
  return {
    ...{ actor, access, uploadId: undefined },
    ahead: withItems(ahead.read, keys(access.repository.id)),
    noteUse: () => noteCaller(forge, caller),
  };
}

async function authorizedCaller(
  { forge, address }: Call,
  header: string,
  { owner, repo, operation, keys }: LfsTarget,
): Promise<LfsCaller> {
  const given = openLfsAuthorization(forge, header);
  const named = given === undefined ? [] : keysAhead(forge, actorNamed(given), owner, repo, keys);
  const read = await readAhead(forge.table, [...(given ? namedCallerKeys(given) : []), ...named]);
  const ahead = forgeWith(forge, read);
  const actor = given && (await findAuthorizedCaller(ahead, given));
  if (actor === undefined || given?.operation !== operation) {
    countRequest(forge, { address }, "light");
    throw unauthorized("this authorization is over, or for something else: ask for the objects again");
  }
  countRequest(forge, countedAs(actor, address), "light");
  requireCaller(forge, actor, operation);
  const found = await findAccess(ahead, actor, owner, repo);
  const isSame = found?.repository.id === given.repositoryId;
  const access = await requireAccess(forge, actor, isSame ? found : undefined, operation);
  return {
    ...{ actor, access, uploadId: given.uploadId },
    ahead: withItems(read, keys(access.repository.id)),
    noteUse: async () => undefined,
  };
}

const withItems = (read: ReadAhead, keys: readonly TableKey[]) => (forge: Forge) =>
  forgeOnceWith(forge, read, keys);

/**
 * Checks a caller and their rights anew, for what took long; throws as at first. Answers the forge with these keys read
 * in the same request.
 */
export async function requireStill(
  forge: Forge,
  { actor: before, access }: Pick<LfsCaller, "actor" | "access">,
  operation: LfsOperation,
  keys: readonly TableKey[],
): Promise<Forge> {
  const { id, ownerId } = access.repository;
  const rights = before && [...renewalKeys(before), ...accessKeysById(before, id, ownerId)];
  const read = await readAhead(forge.table, [...(rights ?? []), ...keys]);
  const ahead = forgeWith(forge, read);
  const actor = before && (await renewActor(ahead, before));
  if (before !== undefined && actor === undefined) {
    throw unauthorized("your token, password or account lets you in no more");
  }
  requireCaller(forge, actor, operation);
  await requireAccess(forge, actor, await findAccessById(ahead, actor, id, ownerId), operation);
  return forgeOnceWith(forge, read, keys);
}
