import { z } from "zod";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
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
const purpose = "lfs-authorization";

const authorizationShape = z.object({
  repositoryId: z.int(),
  operation: z.enum(["download", "upload"]),
  uploadId: z.string().optional(),
  until: z.number(),
  /** Changes with the password. */
  password: z.string(),
  ...callerShape,
});

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
  return scheme + forge.secrets.seal(JSON.stringify(sealed), purpose);
}

/** Whether a header is one of these, of whatever age. */
export const isLfsAuthorization = (header: string | undefined): header is string =>
  header?.startsWith(scheme) === true;

/** The meaning of such a header; undefined when it is over, was made up, or its caller would not be let in any more. */
export async function openLfsAuthorization(
  forge: Forge,
  header: string,
): Promise<LfsAuthorization | undefined> {
  const sealed = unsealed(forge, header.slice(scheme.length));
  if (sealed === undefined || sealed.until < forge.clock.now()) return undefined;
  const actor = await findNamedCaller(forge, sealed);
  if (actor === undefined || passwordMark(forge, actor) !== sealed.password) return undefined;
  const { repositoryId, operation, uploadId } = sealed;
  return { repositoryId, operation, uploadId, actor };
}

function unsealed({ secrets }: Forge, text: string): z.infer<typeof authorizationShape> | undefined {
  let plain: string;
  try {
    plain = secrets.open(text, purpose);
  } catch {
    return undefined; // made up, or sealed by a lost key: nobody can tell the two apart
  }
  return authorizationShape.parse(JSON.parse(plain));
}
