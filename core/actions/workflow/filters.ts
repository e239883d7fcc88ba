import { branchPrefix, tagPrefix } from "../../git/refs/ref-name.ts";
import { filterGlob } from "../../pattern/filter-glob.ts";
import { MatchingTooLong, MatchTime } from "../../pattern/match-time.ts";
import { Patterns } from "../../pattern/patterns.ts";
import type { Trigger } from "./workflow.ts";

/** What happened, as filters look at it. */
export interface FilteredEvent {
  /** Full name of the ref: of a push the pushed one, of a pull request its base. */
  readonly ref?: string;
  /** What happened to the thing, such as `opened`. */
  readonly type?: string;
  /** The files that changed; asked for only when a filter of paths is there. Undefined: too many to tell. */
  readonly changedPaths?: () => Promise<readonly string[] | undefined>;
}

/** The types of an event that count when a workflow names none; all where this says nothing (semantics §64.2). */
export const usualTypes: Readonly<Record<string, readonly string[]>> = {
  pull_request: ["opened", "synchronize", "reopened"],
  pull_request_target: ["opened", "synchronize", "reopened"],
};

/** Holds filters of workflows against events: users write both, so all matching of one event has a time in all. */
export class Filters {
  readonly #time = new MatchTime();

  /** Whether a trigger wants the event. Filters that take too long want nothing. */
  async wants(
    trigger: Trigger,
    usual: readonly string[] | undefined,
    event: FilteredEvent,
  ): Promise<boolean> {
    if (trigger.isUnknown === true) return false;
    try {
      return (
        (await this.#wantsType(trigger, usual, event)) &&
        (await this.#wantsRef(trigger, event)) &&
        (await this.#wantsPaths(trigger, event))
      );
    } catch (error) {
      if (error instanceof MatchingTooLong) return false;
      throw error;
    }
  }

  async #wantsType({ types }: Trigger, usual: readonly string[] | undefined, { type }: FilteredEvent) {
    if (type === undefined) return true;
    if (types === undefined) return usual === undefined || usual.includes(type);
    return this.#includes(types, type);
  }

  /** A filter of branches never takes a tag, and the other way round; with both, one suffices. */
  async #wantsRef(trigger: Trigger, { ref }: FilteredEvent): Promise<boolean> {
    const { branches, branchesIgnore, tags, tagsIgnore } = trigger;
    const hasBranches = branches !== undefined || branchesIgnore !== undefined;
    const hasTags = tags !== undefined || tagsIgnore !== undefined;
    if (ref === undefined || !(hasBranches || hasTags)) return true;
    if (ref.startsWith(branchPrefix)) {
      return hasBranches && this.#passes(ref.slice(branchPrefix.length), branches, branchesIgnore);
    }
    return (
      ref.startsWith(tagPrefix) && hasTags && this.#passes(ref.slice(tagPrefix.length), tags, tagsIgnore)
    );
  }

  async #passes(
    name: string,
    wanted: readonly string[] | undefined,
    ignored: readonly string[] | undefined,
  ): Promise<boolean> {
    if (wanted !== undefined && !(await this.#includes(wanted, name))) return false;
    return ignored === undefined || !(await this.#includes(ignored, name));
  }

  async #wantsPaths({ paths, pathsIgnore }: Trigger, { changedPaths }: FilteredEvent): Promise<boolean> {
    if ((paths === undefined && pathsIgnore === undefined) || changedPaths === undefined) return true;
    const changed = await changedPaths();
    if (changed === undefined) return true;
    if (paths !== undefined && !(await this.#some(changed, (path) => this.#includes(paths, path))))
      return false;
    if (pathsIgnore === undefined) return true;
    return this.#some(changed, async (path) => !(await this.#includes(pathsIgnore, path)));
  }

  async #some(paths: readonly string[], test: (path: string) => Promise<boolean>): Promise<boolean> {
    for (const path of paths) if (await test(path)) return true;
    return false;
  }

  readonly #compiled = new Map<readonly string[], Patterns>();

  /** Whether the last pattern that matches takes the text in; with `!` it takes it out. */
  async #includes(patterns: readonly string[], text: string): Promise<boolean> {
    const compiled =
      this.#compiled.get(patterns) ??
      new Patterns(patterns.map((one) => filterGlob(one.startsWith("!") ? one.slice(1) : one)));
    this.#compiled.set(patterns, compiled);
    const matching = await compiled.matching(text, this.#time);
    const last = Math.max(-1, ...matching);
    return last >= 0 && patterns[last]?.startsWith("!") !== true;
  }
}
