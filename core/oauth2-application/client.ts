import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { keyText } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { builtInOf, builtInRedirectUris } from "./built-in.ts";
import {
  type OAuth2Application,
  type OAuth2ApplicationGuard,
  oauth2ApplicationGuardKey,
  oauth2ApplicationKey,
} from "./oauth2-application.table.ts";

/** A program that asks for access, as the endpoints see it: registered by a user, or built in. */
export interface OAuth2Client {
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly isConfidential: boolean;
  /** Absent: it has no secret. */
  readonly secretHash?: string;
  /** Who registered it; absent for those built in. */
  readonly ownerName?: string;
}

/** Whether a text can be a client id: a UUID in small letters. */
export const isClientId = (text: string): boolean => uuid.test(text);
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The program of a client id; undefined for none, and while its owner is gone or shut out: whoever is kept from the
 * service must not get at others' things by a program. Two requests at most.
 */
export async function findOAuth2Client(
  { table, config }: Pick<Forge, "table" | "config">,
  clientId: string,
): Promise<OAuth2Client | undefined> {
  if (!isClientId(clientId)) return undefined;
  const builtIn = builtInOf(config.oauth2DefaultApplications, clientId);
  if (builtIn !== undefined) {
    return { clientId, name: builtIn.name, redirectUris: builtInRedirectUris, isConfidential: false };
  }
  const guard = await table.get<OAuth2ApplicationGuard>(oauth2ApplicationGuardKey(clientId));
  if (guard === undefined) return undefined;
  const [key, owner] = [oauth2ApplicationKey(guard.userId, guard.applicationId), ownerKey(guard.userId)];
  const found = await table.getAll([key, owner]);
  const application = found.get(keyText(key)) as OAuth2Application | undefined;
  const registrant = found.get(keyText(owner)) as User | undefined;
  if (application === undefined || registrant?.kind !== "user" || isShutOut(registrant)) return undefined;
  const { name, redirectUris, isConfidential, secretHash } = application;
  return { clientId, name, redirectUris, isConfidential, secretHash, ownerName: registrant.name };
}

const isShutOut = ({ isActive, isLoginProhibited }: User): boolean => !isActive || isLoginProhibited;
