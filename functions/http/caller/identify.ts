import type { Actor } from "#core/actor";
import { type Counted, countRequest } from "#core/caller/rates";
import { nothingAhead } from "#core/table/read-ahead";
import type { Call } from "../call.ts";
import type { MatchedEndpoint } from "../routes.ts";
import { sudoOf } from "./admission.ts";
import { type CallerAhead, credentialsOf, noteCaller } from "./authentication.ts";
import { costOf, countedAs, countedCaller } from "./counted-caller.ts";

/** Who is calling, before the gates. */
export interface Identified {
  readonly actor: Actor | undefined;
  /** The name that the caller asks to act as, if any. */
  readonly sudo: string | undefined;
  readonly ahead: CallerAhead;
  /** To call once the answer is made: notes the use of the token and the account. */
  noteUse(): Promise<void>;
}

/** Finds out who is calling, by a link or by credentials, and counts the request (D-RATE): Unauthorized, RateLimited. */
export async function identify(call: Call, found: MatchedEndpoint): Promise<Identified> {
  const { forge, request, url, address, linked } = call;
  const count = (who: Counted) => countRequest(forge, who, costOf(found.endpoint, url));
  if (linked !== undefined) {
    count(countedAs(linked.actor, address));
    const ahead = { forge, read: nothingAhead };
    return { actor: linked.actor, sudo: undefined, ahead, noteUse: async () => undefined };
  }
  const credentials = credentialsOf(request, url, forge, address);
  const { caller, ahead } = await countedCaller(forge, credentials, { named: repositoryIn(found), count });
  const sudo = sudoOf(request.headers, url);
  return { actor: caller.actor, sudo, ahead, noteUse: () => noteCaller(forge, caller) };
}

/** The repository whose rights an operation asks for, by name, with the keys that the handler reads first. */
function repositoryIn({ endpoint, params }: MatchedEndpoint) {
  const isByName = endpoint.needs.repository !== undefined && params.owner !== undefined;
  if (!isByName) return undefined;
  return {
    owner: String(params.owner),
    repo: String(params.repo),
    keys: (repositoryId: number) => endpoint.readsAhead?.(repositoryId, params) ?? [],
  };
}
