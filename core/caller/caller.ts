import type { Actor } from "../actor.ts";
import { networkOf } from "./client-network.ts";

/**
 * The party that shares scarce things with others: an account, with all its tokens together, or a network without one;
 * the jobs of a repository share as one.
 */
export function callerOf(actor: Actor | undefined, address: string): string {
  if (actor === undefined) return `network ${networkOf(address)}`;
  return actor.task === undefined ? accountCaller(accountBehind(actor)) : jobsCaller(actor.task.repositoryId);
}

/** The jobs of a repository. */
export const jobsCaller = (repositoryId: number): string => `jobs of repository ${repositoryId}`;

/** The id of the account that sent a request: with sudo, the administrator's. */
export const accountBehind = ({ sudoBy, user }: Actor): number => sudoBy ?? user.id;

/** An account, by its user's id. */
export const accountCaller = (userId: number): string => `account ${userId}`;

/** The service itself, for work after a change and for jobs. */
export const serviceCaller = "service";
