import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import type { RemoteAddress, RemoteCredentials } from "../git/client/transport.ts";
import { parseAddress } from "../guarded-client/address.ts";
import { type AllowedHosts, parseAllowedHosts } from "../guarded-client/allowed-hosts.ts";
import {
  createGuardedClient,
  type GuardedClient,
  type StreamingClient,
} from "../guarded-client/guarded-client.ts";
import { lazyFor } from "../lazy.ts";
import type { GivenRemote } from "./remote-address.ts";

/** Where mirrors and migrations may go: the permitted hosts without the blocked ones. */
const allowedHosts = lazyFor((config: Config): AllowedHosts => {
  const allowed = parseAllowedHosts("MIGRATION_ALLOWED_HOST_LIST", config.migrationAllowedHostList);
  const blocked = parseAllowedHosts("MIGRATION_BLOCKED_HOST_LIST", config.migrationBlockedHostList);
  return {
    setting: allowed.setting,
    permits: (host, address) => !blocked.permits(host, address) && allowed.permits(host, address),
    refusal(host, addresses) {
      const isBlocked = addresses.some((address) => blocked.permits(host, address));
      return isBlocked ? `${host} is blocked by ${blocked.setting}` : allowed.refusal(host, addresses);
    },
  };
});

/** The client that reaches repositories elsewhere. It checks every address, after redirects, too. */
export const remoteClient = lazyFor((config: Config): GuardedClient & StreamingClient =>
  createGuardedClient({ allowed: allowedHosts(config), isTlsVerificationSkipped: config.skipTlsVerify }),
);

/** The remote as the git client takes it. */
export const addressFor = (
  { config }: Pick<Forge, "config">,
  { url, credentials }: GivenRemote,
): RemoteAddress => ({
  transport: remoteClient(config),
  url,
  ...(credentials === undefined ? {} : { credentials }),
});

/**
 * Why requests to this URL are bound to be refused, as far as the URL itself shows it (an address, or localhost);
 * undefined otherwise.
 */
export function hostProblem({ config }: Pick<Forge, "config">, url: string): string | undefined {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  const address = host === "localhost" ? "127.0.0.1" : host;
  if (parseAddress(address) === undefined) return undefined;
  const allowed = allowedHosts(config);
  return allowed.permits(host, address) ? undefined : allowed.refusal(address, [address]);
}

/** Credentials sealed for one item: no other can hold them. Undefined for none. */
export const sealCredentials = (
  { secrets }: Pick<Forge, "secrets">,
  context: string,
  credentials: RemoteCredentials | undefined,
): string | undefined =>
  credentials === undefined ? undefined : secrets.seal(JSON.stringify(credentials), context);

/** Sealed credentials in the clear. Throws when the present keys don't open them. */
export const openCredentials = (
  { secrets }: Pick<Forge, "secrets">,
  context: string,
  sealed: string | undefined,
): RemoteCredentials | undefined =>
  sealed === undefined ? undefined : (JSON.parse(secrets.open(sealed, context)) as RemoteCredentials);
