import type { Actor } from "./actor.ts";
import { networkOf } from "./client-network.ts";

/** Whoever shares what is scarce with others: an account, whichever of its tokens it shows, or a network without one. */
export const callerOf = (actor: Actor | undefined, address: string): string =>
  actor === undefined ? `network ${networkOf(address)}` : accountCaller(accountBehind(actor));

/** The user id of the account that sent a request: of sudo the administrator's. */
export const accountBehind = ({ sudoBy, user }: Actor): number => sudoBy ?? user.id;

/** An account, by its user's id. */
export const accountCaller = (userId: number): string => `account ${userId}`;

/** The service itself: what follows a change, and jobs. */
export const serviceCaller = "service";
