import { parseGlob } from "../pattern/glob.ts";
import { MatchingTooLong, MatchTime } from "../pattern/match-time.ts";
import { Patterns } from "../pattern/patterns.ts";
import type { EventType } from "./event-types.ts";
import type { Hook, HookType } from "./hook.table.ts";

/** The facts by which a hook decides whether it is notified. `branch` is without refs/heads/. */
export interface SubscribableEvent {
  readonly eventType: EventType;
  /** Its branch; absent: hooks for certain branches are notified too. */
  readonly branch?: string;
  /** A push that brought no commit: chats don't hear of it (semantics §27.7). */
  readonly isWithoutCommits?: boolean;
}

/** The types that take every event's payload as it is. */
const plainTypes: readonly HookType[] = ["forgejo", "gitea", "gogs"];

/**
 * The hooks that may be notified of one event. Users write branch filters: each is parsed once and matched once with a branch,
 * the event loop runs in between, and after 20 s the remaining filters count as not matching.
 */
export class HookSubscriptions {
  readonly #hooks: readonly Hook[];
  readonly #patterns = new Map<string, Patterns>();
  #branch: string | undefined;
  #matches = new Map<string, boolean>();
  readonly #time: MatchTime;

  constructor(hooks: readonly Hook[], time = new MatchTime()) {
    this.#hooks = hooks;
    this.#time = time;
  }

  /** Whether filters took too long, so that some hooks may have missed an event they asked for. */
  get isCut(): boolean {
    return this.#time.isOver;
  }

  /** Hooks that are on, subscribed, and set to this branch (semantics §27.7). */
  async subscribed(notice: SubscribableEvent): Promise<Hook[]> {
    const subscribed: Hook[] = [];
    for (const hook of this.#hooks) if (await this.#wants(hook, notice)) subscribed.push(hook);
    return subscribed;
  }

  async #wants(
    { type, isActive, events, branchFilter }: Hook,
    { eventType, branch, isWithoutCommits }: SubscribableEvent,
  ): Promise<boolean> {
    if (!isActive || !events.includes(eventType)) return false;
    if (isWithoutCommits === true && !plainTypes.includes(type)) return false;
    if (type === "packagist" && eventType !== "push") return false;
    if (branch === undefined || branchFilter === "" || branchFilter === "*") return true;
    if (branch !== this.#branch) this.#matches = new Map();
    this.#branch = branch;
    const matches = this.#matches;
    const isMatch = matches.get(branchFilter) ?? (await this.#match(branchFilter, branch));
    matches.set(branchFilter, isMatch);
    return isMatch;
  }

  async #match(filter: string, branch: string): Promise<boolean> {
    const patterns = this.#patterns.get(filter) ?? patternsOf(filter);
    this.#patterns.set(filter, patterns);
    try {
      return await patterns.matches(branch, this.#time);
    } catch (error) {
      if (error instanceof MatchingTooLong) return false;
      throw error;
    }
  }
}

function patternsOf(filter: string): Patterns {
  const glob = parseGlob(filter);
  return new Patterns("source" in glob ? [glob.source] : []);
}
