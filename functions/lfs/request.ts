import type { RepositoryAccess } from "#core/access/repository-access";
import { findAccess, findAccessById } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { countRequest } from "#core/caller/rates";
import { unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import type { RequestBody } from "../http/body/request-body.ts";
import type { Call } from "../http/call.ts";
import { credentialsIn, noteCaller } from "../http/caller/authentication.ts";
import { countedAs, countedCaller } from "../http/caller/counted-caller.ts";
import { isLfsAuthorization, openLfsAuthorization } from "./authorization.ts";
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
  /** Asks again whether the caller may do this; throws as at first. */
  requireAllowed(): Promise<void>;
}

/** Where a request goes, and what it wants there. */
export interface LfsTarget {
  readonly owner: string;
  readonly repo: string;
  /** What one wants may stand in its body; this is what it takes to read that. */
  readonly operation: LfsOperation;
}

/** The caller, and what they may do. */
export type LfsCaller = Pick<LfsRequest, "access" | "actor" | "uploadId"> & {
  readonly noteUse: () => Promise<void>;
};

/** Finds the caller by their credentials or by what a batch gave them, and checks their rights on the repository. */
export async function findLfsCaller(call: Call, { owner, repo, operation }: LfsTarget): Promise<LfsCaller> {
  const { forge, request, address } = call;
  const header = request.headers.get("authorization") ?? undefined;
  if (isLfsAuthorization(header)) return authorizedCaller(call, header, { owner, repo, operation });
  const credentials = credentialsIn(request.headers, address);
  const { caller, ahead } = await countedCaller(forge, credentials, {
    named: { owner, repo },
    count: (who) => countRequest(forge, who, "light"),
  });
  const { actor } = caller;
  requireCaller(forge, actor, operation);
  const found = await findAccess(ahead.forge, actor, owner, repo);
  const access = await requireAccess(forge, actor, found, operation);
  return { actor, access, uploadId: undefined, noteUse: () => noteCaller(forge, caller) };
}

async function authorizedCaller(
  { forge, address }: Call,
  header: string,
  { owner, repo, operation }: LfsTarget,
): Promise<LfsCaller> {
  const given = await openLfsAuthorization(forge, header);
  if (given === undefined || given.operation !== operation) {
    countRequest(forge, { address }, "light");
    throw unauthorized("this authorization is over, or for something else: ask for the objects again");
  }
  const { actor, repositoryId, uploadId } = given;
  countRequest(forge, countedAs(actor, address), "light");
  requireCaller(forge, actor, operation);
  const found = await findAccess(forge, actor, owner, repo);
  const isSame = found?.repository.id === repositoryId;
  const access = await requireAccess(forge, actor, isSame ? found : undefined, operation);
  return { actor, access, uploadId, noteUse: async () => undefined };
}

/** Checks the rights of a caller anew, for what took long. */
export async function requireStill(
  forge: Forge,
  { actor, access }: Pick<LfsCaller, "actor" | "access">,
  operation: LfsOperation,
): Promise<void> {
  const found = await findAccessById(forge, actor, access.repository.id);
  await requireAccess(forge, actor, found, operation);
}
