import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { parseAddress } from "../guarded-client/address.ts";
import { parseAllowedHosts } from "../guarded-client/allowed-hosts.ts";
import { createGuardedClient, type GuardedClient } from "../guarded-client/guarded-client.ts";

const allowedHosts = (config: Config) =>
  parseAllowedHosts("WEBHOOK_ALLOWED_HOST_LIST", config.webhookAllowedHostList);

/** The guarded client as the settings of webhooks want it. */
export const createHookClient = (config: Config): GuardedClient =>
  createGuardedClient({
    allowed: allowedHosts(config),
    isTlsVerificationSkipped: config.skipTlsVerify,
  });

/**
 * Why deliveries to this URL are bound to be refused, as far as the URL itself shows it (an address, or localhost);
 * undefined when nothing speaks against it. What a host name resolves to is looked at with each delivery.
 */
export function targetProblem({ config }: Pick<Forge, "config">, url: string): string | undefined {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  const address = host === "localhost" ? "127.0.0.1" : host;
  if (parseAddress(address) === undefined) return undefined;
  const allowed = allowedHosts(config);
  return allowed.permits(host, address) ? undefined : allowed.refusal(host, [address]);
}
