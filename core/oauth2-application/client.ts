import { isShutOut } from "../access/account.ts";
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
  readonly ownerId?: number;
  readonly ownerName?: string;
}

/** Whether a text can be a client id: a UUID in small letters. */
export const isClientId = (text: string): boolean => uuid.test(text);
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Stores = Pick<Forge, "table" | "config">;

/**
 * The program of a client id; undefined for none, and while its owner is gone or shut out: whoever is kept from the
 * service must not get at others' things by a program. Two requests at most.
 */
export async function findOAuth2Client(forge: Stores, clientId: string): Promise<OAuth2Client | undefined> {
  const found = await findOAuth2Program(forge, clientId);
  return found?.isShutOut === false ? found.client : undefined;
}

/**
 * The same for its users to look at: also while its owner is shut out, and with them the program. Undefined for none, and
 * for one whose owner is gone.
 */
export async function findOAuth2Program(
  { table, config }: Stores,
  clientId: string,
): Promise<{ readonly client: OAuth2Client; readonly isShutOut: boolean } | undefined> {
  if (!isClientId(clientId)) return undefined;
  const builtIn = builtInOf(config.oauth2DefaultApplications, clientId);
  if (builtIn !== undefined) {
    const { name } = builtIn;
    const client = { clientId, name, redirectUris: builtInRedirectUris, isConfidential: false };
    return { client, isShutOut: false };
  }
  const guard = await table.get<OAuth2ApplicationGuard>(oauth2ApplicationGuardKey(clientId));
  if (guard === undefined) return undefined;
  const [key, owner] = [oauth2ApplicationKey(guard.userId, guard.applicationId), ownerKey(guard.userId)];
  const found = await table.getAll([key, owner]);
  const application = found.get(keyText(key)) as OAuth2Application | undefined;
  const registrant = found.get(keyText(owner)) as User | undefined;
  if (application === undefined || registrant?.kind !== "user") return undefined;
  const { name, redirectUris, isConfidential, secretHash } = application;
  return {
    client: {
      ...{ clientId, name, redirectUris, isConfidential, secretHash },
      ...{ ownerId: registrant.id, ownerName: registrant.name },
    },
    isShutOut: isShutOut(registrant),
  };
}
