import { expect } from "vitest";
import { resendOverdue } from "#core/events/outbox";
import { checkRepository } from "#core/lifecycle/check/check";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { tick } from "#functions/workers/tick";
import { type ApiAnswer, type Caller, type JsonValue, makeApi } from "#tests/support/api";
import { type PullRepositories, pullRepositories } from "./pull-repositories.ts";

/** One process that works on pull requests, and is killed. */
export interface CrashWorld extends Omit<PullRepositories, "make"> {
  /** A repository of alice's. */
  make(name: string): Promise<string>;
  /** Forks it for bob; the fork's path. */
  fork(repository: string): Promise<string>;
  readonly bob: Caller;
  /** As alice unless told otherwise. */
  call(method: string, path: string, body?: object, as?: Caller): Promise<ApiAnswer>;
  get(path: string): Promise<JsonValue>;
  /** Lets the worker work on what is queued. */
  work(): Promise<unknown>;
  /** What is wrong with a repository, but for packs that were stored and never named. */
  findings(repository: string): Promise<object[]>;
  /**
   * Kills a call after every `step`-th of its writes, each time in a place of its own, until it comes to its end; starts
   * the process again, lets it do what is left, and checks the place. Answers how many writes it saw.
   */
  killAt<Place extends { readonly repository: string }>(
    step: number,
    story: CrashStory<Place>,
  ): Promise<number>;
  stop(): Promise<void>;
}

/** What is killed. */
export interface CrashStory<Place> {
  /** The name ends in the number of the write. */
  prepare(name: string, write: number): Promise<Place>;
  run(place: Place): Promise<unknown>;
  check(place: Place): Promise<void>;
}

/** Starts a world with alice and bob. */
export async function makeCrashWorld(): Promise<CrashWorld> {
  const api = await makeApi({ simulation: false });
  const [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  const repositories = pullRepositories(api, alice);
  const call: CrashWorld["call"] = (method, path, body, as = alice) =>
    api.call(method, path, { as, ...(body && { body }) });
  const get: CrashWorld["get"] = async (path) => (await call("GET", path)).json;
  const work = () =>
    api.queues.drain("repository-events", (batch) => repositoryEventsWorker(api.forge, batch));
  const findings: CrashWorld["findings"] = async (repository) => {
    const found = await checkRepository(api.forge, (await get(repository)).id);
    return found.filter(({ invariant }) => invariant !== 21);
  };
  const restart = async () => {
    api.faults.recover();
    api.clock.advance(20 * 60_000);
    await resendOverdue(api.forge);
    await tick(api.forge);
    await work();
  };
  return {
    ...repositories,
    ...{ bob, call, get, work, findings, stop: api.stop },
    async fork(repository) {
      await call("POST", `${repository}/forks`, {}, bob);
      return repository.replace("alice", "bob");
    },
    async killAt(step, { prepare, run, check }) {
      for (let write = 1; ; write += step) {
        const place = await prepare(`w${write}`, write);
        await work();
        api.faults.crashAt(write, "after");
        await run(place).catch(() => undefined);
        const { hasCrashed } = api.faults;
        await restart();
        await check(place);
        expect([write, await findings(place.repository)]).toEqual([write, []]);
        if (!hasCrashed) return write - 1;
      }
    },
  };
}
