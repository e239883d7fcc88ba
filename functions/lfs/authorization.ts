import { z } from "zod";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { openSealedValue, sealValue } from "#core/sealed-value";
import { callerShape, findNamedCaller, namedCaller } from "../http/caller/named-caller.ts";
import type { LfsOperation } from "./operation.ts";

/** What one batch lets its caller do next, in place of their own credentials. */
export interface LfsAuthorization {
  readonly repositoryId: number;
  readonly operation: Extract<LfsOperation, "download" | "upload">;
  readonly actor: Actor;
  /** The upload that it is for. */
  readonly uploadId?: string | undefined;
}

const scheme = "Bearer lfs:";
const authorizationShape = z.object({
  repositoryId: z.int(),
  operation: z.enum(["download", "upload"]),
  uploadId: z.string().optional(),
  until: z.number(),
  /** Changes with the password. */
  password: z.string(),
  ...callerShape,
});

const kind = { purpose: "lfs-authorization", shape: authorizationShape };

/** What a header says, before anybody has looked at its caller. */
export type SealedAuthorization = z.infer<typeof authorizationShape>;

const passwordMark = ({ secrets }: Forge, { user }: Actor): string =>
  secrets.digest("lfs-password", user.passwordHash).toString("base64url").slice(0, 16);

/**
 * The header that stands for a caller at one repository, for one operation, for some hours. It is sealed: nobody can read
 * or change it. It gives no rights: the caller's rights are checked again (semantics §55.2).
 */
export function authorizationHeader(forge: Forge, authorization: LfsAuthorization): string {
  const { actor, ...rest } = authorization;
  const until = forge.clock.now() + forge.config.lfsHttpAuthExpirySeconds * 1000;
  const sealed = { ...rest, until, password: passwordMark(forge, actor), ...namedCaller(actor) };
  return scheme + sealValue(forge, kind, sealed);
}

/** Whether a header is one of these, of whatever age. */
export const isLfsAuthorization = (header: string | undefined): header is string =>
  header?.startsWith(scheme) === true;

/** What such a header says; undefined when it is over or was made up. */
export const openLfsAuthorization = (forge: Forge, header: string): SealedAuthorization | undefined =>
  openSealedValue(forge, kind, header.slice(scheme.length));

/** Its caller as they are now; undefined when they would not be let in any more. */
export async function findAuthorizedCaller(
  forge: Forge,
  sealed: SealedAuthorization,
): Promise<Actor | undefined> {
  const actor = await findNamedCaller(forge, sealed);
  return actor !== undefined && passwordMark(forge, actor) === sealed.password ? actor : undefined;
}
