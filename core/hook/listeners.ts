import { type Glob, parseGlob } from "../glob.ts";
import { MatchTime } from "../match-time.ts";
import type { EventType } from "./event-types.ts";
import type { Hook } from "./hook.table.ts";

/** The facts by which a hook decides whether to hear of something. `branch` is without refs/heads/. */
export interface Hearable {
  readonly eventType: EventType;
  /** Its branch; absent: hooks for certain branches hear it too. */
  readonly branch?: string;
}

/**
 * The hooks that may hear of one event. Users write branch filters: each is parsed once and matched once with a branch,
 * the event loop runs in between, and after 20 s the remaining filters count as not matching.
 */
export class Listeners {
  readonly #hooks: readonly Hook[];
  readonly #globs = new Map<string, Glob | undefined>();
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
  async wanting(notice: Hearable): Promise<Hook[]> {
    const wanting: Hook[] = [];
    for (const hook of this.#hooks) {
      if (this.#wants(hook, notice)) wanting.push(hook);
      await this.#time.rest();
    }
    return wanting;
  }

  #wants({ isActive, events, branchFilter }: Hook, { eventType, branch }: Hearable): boolean {
    if (!isActive || !events.includes(eventType)) return false;
    if (branch === undefined || branchFilter === "" || branchFilter === "*") return true;
    if (branch !== this.#branch) this.#matches.clear();
    this.#branch = branch;
    const isMatch = this.#matches.get(branchFilter) ?? this.#match(branchFilter, branch);
    this.#matches.set(branchFilter, isMatch);
    return isMatch;
  }

  #match(filter: string, branch: string): boolean {
    if (this.isCut) return false;
    return this.#time.spend(() => {
      if (!this.#globs.has(filter)) this.#globs.set(filter, globOf(filter));
      return this.#globs.get(filter)?.matches(branch) ?? false;
    });
  }
}

function globOf(filter: string): Glob | undefined {
  const glob = parseGlob(filter);
  return "matches" in glob ? glob : undefined;
}
