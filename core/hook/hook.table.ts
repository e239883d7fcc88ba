import { padded } from "../ids.ts";
import type { OwnerKind } from "../owner/owner.table.ts";
import { ownerPartition, repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { EventType } from "./event-types.ts";

/**
 * The parent of a hook: it hears of one repository, of everything that a user or an organization owns, or of
 * everything. `default` hooks hear of nothing: each new repository gets a copy of them (semantics §27.1).
 */
export type HookParent =
  | { readonly kind: "repository"; readonly id: number }
  | { readonly kind: OwnerKind; readonly id: number }
  | { readonly kind: "system" | "default" };

/** The receivers of hooks. The first three take the JSON payload as it is, the others are chat services. */
export const hookTypes = [
  "forgejo",
  "gitea",
  "gogs",
  "slack",
  "discord",
  "dingtalk",
  "telegram",
  "msteams",
  "feishu",
  "matrix",
  "wechatwork",
  "packagist",
] as const;
export type HookType = (typeof hookTypes)[number];

/** The form of a payload: the body itself, or the field `payload` of a form. */
export const hookContentTypes = ["json", "form"] as const;
export type HookContentType = (typeof hookContentTypes)[number];

/** A webhook. Times are whole seconds since the epoch. */
export interface Hook extends Item {
  readonly id: number;
  readonly parent: HookParent;
  readonly type: HookType;
  readonly url: string;
  readonly contentType: HookContentType;
  /** Sealed; opened by `hookSecretsOf`. Absent: deliveries carry empty signatures. */
  readonly secret?: string;
  /** Sealed; opened by `hookSecretsOf`. */
  readonly authorizationHeader?: string;
  /**
   * A copy of a `default` hook: its secrets belong to the site administrators (D-DEFAULTHOOK). Absent: no such copy.
   */
  readonly isOfAdministrators?: true;
  readonly events: readonly EventType[];
  /** A glob on branch names; empty: every branch. */
  readonly branchFilter: string;
  readonly isActive: boolean;
  /** The data of a chat service beside the URL, such as the channel. */
  readonly chat: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/**
 * The ids of the keys under which the secrets of all hooks lay when the job of reseal.ts last ended; the first one
 * seals.
 */
export interface SealedHooks extends Item {
  readonly keyIds: string;
  readonly _v: 1;
}
export const sealedHooksKey: TableKey = { pk: "HOOKS#keys", sk: "#" };

/** Users and organizations share their ids, so they share one family of partitions. */
function partitionOf(parent: HookParent): string {
  if (!("id" in parent)) return `HOOKS#${parent.kind}`;
  return parent.kind === "repository" ? repositoryPartition(parent.id) : ownerPartition(parent.id);
}

export const hookPrefix = "HOOK#";
export const hookKey = (parent: HookParent, id: number): TableKey => ({
  pk: partitionOf(parent),
  sk: `${hookPrefix}${padded(id)}`,
});
/** All hooks of a parent, in the order of their ids. */
export const hooksOf = (parent: HookParent) => ({ pk: partitionOf(parent), prefix: hookPrefix });
