import { createHash } from "node:crypto";
import type { Item, TableKey } from "../table/write.ts";

/** Failed logins from one address in one window: `n` in all, and one number for each account that was tried. */
export interface LoginFailures extends Item {
  readonly n: number;
  readonly ttl: number;
}

/** `network` is an address as far as it tells callers apart. */
export const loginFailuresKey = (network: string, windowStart: number): TableKey => ({
  pk: `RL#${network}#${windowStart}`,
  sk: "#",
});

/** The attribute that counts for one account, by the typed name, whether it exists or not. */
export const accountAttribute = (login: string): string =>
  `a${createHash("sha256").update(login.toLowerCase()).digest("hex").slice(0, 16)}`;
