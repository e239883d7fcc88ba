import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, type ForgeError, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { ownerStays, requireStaying } from "../owner/deletion.ts";
import { parseGlob } from "../pattern/glob.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { put, remove } from "../table/write.ts";
import { expandEvents } from "./event-types.ts";
import {
  type Hook,
  type HookContentType,
  type HookParent,
  type HookType,
  hookContentTypes,
  hookKey,
  hooksOf,
  hookTypes,
} from "./hook.table.ts";
import { changesOfMasked, isMaskedFor } from "./masking.ts";
import { sealSecrets } from "./secrets.ts";

/** The settings of a hook as callers give them, unchecked. */
export interface HookSettings {
  readonly type: string;
  readonly url: string;
  readonly contentType: string;
  readonly secret?: string;
  readonly authorizationHeader?: string;
  /** Event names; groups are expanded (semantics §27.2). */
  readonly events?: readonly string[];
  readonly branchFilter?: string;
  /** False when absent. */
  readonly isActive?: boolean;
  readonly chat?: Readonly<Record<string, string>>;
}

/** The changes of a hook; absent members stay as they are. */
export type HookChanges = Partial<Omit<HookSettings, "type">>;

const mostPerParent = 100;
/** Each of them is written in the transaction of each new repository. */
const mostDefaults = 20;
const longest = { url: 2_048, secret: 1_024, authorizationHeader: 1_024, chat: 1_024, branchFilter: 255 };
const mostAttempts = 5;
/** The kinds of Matrix's messages that a hook may send. */
const messageTypes = ["m.notice", "m.text"];

/**
 * Creates a hook. 422 when a setting is not valid, or when the parent has 100 hooks (20 of those for new repositories)
 * already.
 */
export async function createHook(forge: Forge, parent: HookParent, given: HookSettings): Promise<Hook> {
  const problem = typeProblem(given) ?? settingsProblem(given);
  if (problem !== undefined) throw problem;
  const most = parent.kind === "default" ? mostDefaults : mostPerParent;
  const existing = await forge.table.queryAll({ ...hooksOf(parent), limit: most });
  if (existing.length >= most) throw invalid("Hooks", `at most ${most} may exist here`);
  const id = await nextId(forge.table, "hook");
  const now = nowSeconds(forge.clock);
  const hook: Hook = {
    ...hookKey(parent, id),
    id,
    parent,
    type: given.type as HookType,
    url: given.url,
    contentType: given.contentType as HookContentType,
    ...sealSecrets(forge, id, given),
    events: expandEvents(given.events ?? []),
    branchFilter: given.branchFilter ?? "",
    isActive: given.isActive ?? false,
    chat: given.chat ?? {},
    createdAt: now,
    updatedAt: now,
    v: 1,
    _v: 1,
  };
  const isOwned = parent.kind === "user" || parent.kind === "organization";
  const { committed } = await forge.table.transact([
    put(hook, absent),
    ...(isOwned ? [ownerStays(parent.id)] : []),
  ]);
  if (committed) return hook;
  if (isOwned) await requireStaying(forge, parent);
  throw conflict("the hook could not be created just now; try again");
}

/** The hook with this id on this parent, or undefined. */
export const findHook = (forge: Forge, parent: HookParent, id: number): Promise<Hook | undefined> =>
  forge.table.get<Hook>(hookKey(parent, id));

/** The hook with this id on this parent; NotFound when there is none. */
export async function getHook(forge: Forge, parent: HookParent, id: number): Promise<Hook> {
  const hook = await findHook(forge, parent, id);
  if (hook === undefined) throw notFound(`hook does not exist [id: ${id}]`);
  return hook;
}

/** All hooks of a parent by id, at most about 100. */
export const listHooks = (forge: Forge, parent: HookParent): Promise<Hook[]> =>
  forge.table.queryAll<Hook>(hooksOf(parent));

/** The hooks that events in a repository may notify: its own, its owner's, and those of the system. */
export const listHooksForRepository = (
  forge: Forge,
  { id, ownerId }: { readonly id: number; readonly ownerId: number },
): Promise<Hook[]> => listHooksOf(forge, { ownerId, repositoryId: id });

/** The same for events at an owner that may belong to no repository. */
export async function listHooksOf(
  forge: Forge,
  { ownerId, repositoryId }: { readonly ownerId: number; readonly repositoryId: number | undefined },
): Promise<Hook[]> {
  const parents: readonly HookParent[] = [
    ...(repositoryId === undefined ? [] : [{ kind: "repository", id: repositoryId } as const]),
    { kind: "organization", id: ownerId }, // or a user: it is the same partition
    { kind: "system" },
  ];
  return (await Promise.all(parents.map((parent) => listHooks(forge, parent)))).flat();
}

/**
 * Changes a hook, by an actor who may see it masked (without an actor it counts as seen so). NotFound, 422 when a
 * setting is not valid, Conflict when others keep changing it.
 */
export async function editHook(
  forge: Forge,
  parent: HookParent,
  id: number,
  asked: HookChanges,
  actor?: Actor,
): Promise<Hook> {
  for await (const _attempt of attempts(mostAttempts)) {
    const hook = await getHook(forge, parent, id);
    const { changes, isElsewhere } = isMaskedFor(actor, hook)
      ? changesOfMasked(hook, asked)
      : { changes: asked, isElsewhere: false };
    const { url, contentType } = hook;
    const problem = settingsProblem({ url, contentType, ...changes });
    if (problem !== undefined) throw problem;
    const edited = withChanges(forge, isElsewhere ? ownHook(hook) : hook, changes);
    if (await forge.table.write(put(edited, equals({ v: hook.v })))) return edited;
  }
  throw conflict(`hook ${id} is being changed by others; try again`);
}

/** Removes a hook; its waiting deliveries are not sent any more. NotFound when there is none. */
export async function removeHook(forge: Forge, parent: HookParent, id: number): Promise<void> {
  // A transaction of one: unlike a plain write it does not conflict with itself after a lost answer.
  const { committed } = await forge.table.transact([remove(hookKey(parent, id), exists)]);
  if (!committed) throw notFound(`hook does not exist [id: ${id}]`);
}

/** A hook that is not the site administrators' any more. */
function ownHook({ isOfAdministrators: _, ...rest }: Hook): Hook {
  return rest as Hook;
}

function withChanges(forge: Forge, hook: Hook, changes: HookChanges): Hook {
  const { secret, authorizationHeader, ...rest } = hook;
  return {
    ...rest,
    ...(changes.secret === undefined && secret !== undefined ? { secret } : {}),
    ...(changes.authorizationHeader === undefined && authorizationHeader !== undefined
      ? { authorizationHeader }
      : {}),
    ...sealSecrets(forge, hook.id, changes),
    url: changes.url ?? hook.url,
    contentType: (changes.contentType as HookContentType | undefined) ?? hook.contentType,
    events: changes.events === undefined ? hook.events : expandEvents(changes.events),
    branchFilter: changes.branchFilter ?? hook.branchFilter,
    isActive: changes.isActive ?? hook.isActive,
    chat: { ...hook.chat, ...changes.chat },
    updatedAt: nowSeconds(forge.clock),
    v: hook.v + 1,
  };
}

function typeProblem(given: HookSettings): ForgeError | undefined {
  if (!(hookTypes as readonly string[]).includes(given.type)) {
    return invalid("Type", `In ${hookTypes.join(", ")}`);
  }
  const isChannelMissing = given.type === "slack" && (given.chat?.channel ?? "").trim() === "";
  return isChannelMissing ? invalid("Config", "channel is required for hooks of type slack") : undefined;
}

function settingsProblem(given: Omit<HookSettings, "type" | "events">): ForgeError | undefined {
  if (given.url === "") return invalid("Config", "url is required");
  if (given.url.length > longest.url) return invalid("Config", `url: MaxSize ${longest.url}`);
  if (!isHttpUrl(given.url))
    return invalid("Config", "url: expected a URL that starts with http:// or https://");
  if (!(hookContentTypes as readonly string[]).includes(given.contentType)) {
    return invalid("Config", `content_type: expected ${hookContentTypes.join(" or ")}`);
  }
  if ((given.secret ?? "").length > longest.secret)
    return invalid("Config", `secret: MaxSize ${longest.secret}`);
  const kind = given.chat?.message_type;
  if (kind !== undefined && !messageTypes.includes(kind)) {
    return invalid("Config", `message_type: expected ${messageTypes.join(" or ")}`);
  }
  const chatSize = Object.entries(given.chat ?? {}).join("").length;
  if (chatSize > longest.chat) return invalid("Config", `MaxSize ${longest.chat}`);
  return headerProblem(given.authorizationHeader ?? "") ?? filterProblem(given.branchFilter ?? "");
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function headerProblem(header: string): ForgeError | undefined {
  if (header.length > longest.authorizationHeader) {
    return invalid("AuthorizationHeader", `MaxSize ${longest.authorizationHeader}`);
  }
  const isSendable = /^[\t\x20-\x7e\x80-\xff]*$/.test(header);
  return isSendable ? undefined : invalid("AuthorizationHeader", "holds characters that no header can carry");
}

function filterProblem(filter: string): ForgeError | undefined {
  if (filter.length > longest.branchFilter) return invalid("BranchFilter", `MaxSize ${longest.branchFilter}`);
  const glob = parseGlob(filter);
  return "problem" in glob ? invalid("BranchFilter", `GlobPattern: ${glob.problem}`) : undefined;
}
