import type { Actor } from "#core/actor";
import { accountBehind } from "#core/caller/caller";
import { type Cost, type Counted, countRequest } from "#core/caller/rates";
import { isForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Endpoint } from "../endpoint.ts";
import {
  authenticate,
  type Caller,
  type CallerAhead,
  type Credentials,
  type NamedRepository,
  readCallerAhead,
  showsNothing,
} from "./authentication.ts";

/** The account or network that a request counts against; a job's counts against its runner. */
export function countedAs(actor: Actor | undefined, address: string): Counted {
  if (actor === undefined) return { address };
  return actor.task === undefined ? { userId: accountBehind(actor) } : { runnerId: actor.task.runnerId };
}

/** The kind that a call of an operation counts as. */
export const costOf = ({ cost = "light" }: Pick<Endpoint, "cost">, { searchParams }: URL): Cost =>
  typeof cost === "function" ? cost(searchParams) : cost;

/**
 * The caller, with the items read ahead. `count` counts the request and may refuse it (D-RATE): before anything is read
 * for callers without credentials, for the account of others. Bad credentials count as one light request of the
 * network, which a signed-in caller from there does not notice.
 */
export async function countedCaller(
  forge: Forge,
  credentials: Credentials,
  { named, count }: { named: NamedRepository | undefined; count: (who: Counted) => void },
): Promise<{ readonly caller: Caller; readonly ahead: CallerAhead }> {
  const { address } = credentials;
  if (showsNothing(forge, credentials)) count({ address });
  const ahead = await readCallerAhead(forge, credentials, named);
  const caller = await authenticate(ahead.forge, credentials).catch((refusal: unknown) => {
    if (isForgeError(refusal, "unauthorized")) countRequest(forge, { address }, "light");
    throw refusal;
  });
  if (caller.actor !== undefined) count(countedAs(caller.actor, address));
  return { caller, ahead };
}
