import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { parseAddress } from "../guarded-client/address.ts";
import { parseAllowedHosts } from "../guarded-client/allowed-hosts.ts";
import { createGuardedClient, type GuardedClient } from "../guarded-client/guarded-client.ts";

const allowedHosts = (config: Config) =>
  parseAllowedHosts("WEBHOOK_ALLOWED_HOST_LIST", config.webhookAllowedHostList);

/** The guarded client with the webhook settings. */
export const createHookClient = (config: Config): GuardedClient =>
  createGuardedClient({
    allowed: allowedHosts(config),
    isTlsVerificationSkipped: config.skipTlsVerify,
  });

/**
 * Why deliveries to this URL are bound to be refused, as far as the URL itself shows it (an address, or localhost);
 * undefined otherwise. Each delivery checks the addresses of a host name.
 */
export function targetProblem({ config }: Pick<Forge, "config">, url: string): string | undefined {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  const address = host === "localhost" ? "127.0.0.1" : host;
  if (parseAddress(address) === undefined) return undefined;
  const allowed = allowedHosts(config);
  return allowed.permits(host, address) ? undefined : allowed.refusal(address, [address]);
}
