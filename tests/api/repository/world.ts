import { expect } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";

type Users = readonly [owner: Caller, writer: Caller, other: Caller];

/** Starts a forge with olga, who owns, wim, who may be let write, and somebody else: what a world is made of. */
export async function startWorld(
  settings: Record<string, string>,
  other = "rita",
): Promise<[api: TestApi, users: Users]> {
  const api = await makeApi({ settings });
  const owner = await api.makeUser({ name: "olga" });
  const writer = await api.makeUser({ name: "wim" });
  return [api, [owner, writer, await api.makeUser({ name: other })]];
}

/** The place of tests of what a repository has: for each test (`begin`) one of the owner's. */
export class RepositoryWorld {
  readonly api: TestApi;
  readonly owner: Caller;
  /** May write the repository once `letWrite` was asked for. */
  readonly writer: Caller;
  /** Was given nothing: reads what is public. */
  readonly reader: Caller;
  name = "";
  id = 0;
  #made = 0;

  constructor(api: TestApi, [owner, writer, other]: Users) {
    this.api = api;
    this.owner = owner;
    this.writer = writer;
    this.reader = other;
  }

  async begin(options: object = {}): Promise<void> {
    this.#made += 1;
    this.name = `r${this.#made}`;
    this.id = await makeRepository(this.api, this.owner, this.name, options);
  }

  /** Lets the writer write the repository: for the tests that ask as them. */
  async letWrite(): Promise<void> {
    await this.call("PUT", `collaborators/${this.writer.name}`, { permission: "write" });
  }

  get path(): string {
    return `/repos/${this.owner.name}/${this.name}`;
  }

  call(method: string, path: string, body?: object, as: Caller | undefined = this.owner): Promise<ApiAnswer> {
    return this.api.call(method, `${this.path}/${path}`, { as, body });
  }

  async expectWhole(): Promise<void> {
    expect(await checkRepository(this.api.forge, this.id)).toEqual([]);
  }
}
