import { forbidden } from "#core/errors";
import type { Forge } from "#core/forge";
import { getHook } from "#core/hook/hook";
import type { Hook, HookParent } from "#core/hook/hook.table";
import { targetProblem } from "#core/hook/hook-client";
import { Reply } from "../../http/answer/reply.ts";
import type { ApiRequest } from "../../http/api-request.ts";
import type { Tag } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import type { CreateHookOptionJson } from "./schema.ts";

type Loaded<N extends Needs> = Pick<
  ApiRequest<N, string, undefined, undefined>,
  "actor" | "access" | "organization"
>;
type Asked<N extends Needs> = Loaded<N> & { readonly forge: Forge; readonly params: { readonly id: number } };
type Operation =
  | "list"
  | "create"
  | "get"
  | "edit"
  | "remove"
  | "listDeliveries"
  | "getDelivery"
  | "redeliver";

/** A kind of parent of webhooks: the operations on them are the same everywhere. */
export interface HookPlace<N extends Needs> {
  readonly ids: Readonly<Record<Operation, string>>;
  readonly tag: Tag;
  /** The path before `/hooks`. */
  readonly base: string;
  /** The parent, in words. */
  readonly of: string;
  readonly note?: string;
  readonly needs: N;
  readonly parentOf: (request: Loaded<N>) => HookParent;
  /** The parent of a new one, if its body has a say in that. */
  readonly parentOfNew?: (body: CreateHookOptionJson) => HookParent;
  /** The parent of the one with this id, if that may be elsewhere. */
  readonly parentOfId?: (forge: Forge, id: number) => Promise<HookParent>;
}

/** Forbidden while webhooks are switched off. */
export function requireWebhooks({ config }: Forge): void {
  if (config.disableWebhooks) throw forbidden("webhooks are switched off (DISABLE_WEBHOOKS)");
}

/** The parent of the hook that a request names; Forbidden while webhooks are switched off. */
export async function parentAt<N extends Needs>(place: HookPlace<N>, request: Asked<N>): Promise<HookParent> {
  requireWebhooks(request.forge);
  return (await place.parentOfId?.(request.forge, request.params.id)) ?? place.parentOf(request);
}

/** The hook that a request names; NotFound when there is none at this place. */
export const hookAt = async <N extends Needs>(place: HookPlace<N>, request: Asked<N>): Promise<Hook> =>
  getHook(request.forge, await parentAt(place, request), request.params.id);

/** Says early that nothing will be delivered: here in a header, later in each delivery's record and the log. */
export function withWarning<T>(forge: Forge, hook: Hook, value: T): Reply<T> {
  const problem = targetProblem(forge, hook.url);
  if (problem === undefined) return new Reply(value);
  forge.log.warn("hook:not-deliverable", { hookId: hook.id, reason: problem });
  return new Reply(value, { headers: { warning: `299 coldforge "${problem}"` } });
}
