import { afterAll, beforeAll, expect } from "vitest";
import { noteRepositoryActivity } from "#core/repository/listing/index-writes";
import { pushToRepository } from "#core/repository/push";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeCommit } from "../../../core/repository/commits.ts";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let boss: Caller;
export let shy: Caller;

export async function make(as: Caller, body: object): Promise<void> {
  api.clock.advance(1_000);
  expect((await api.call("POST", "/user/repos", { as, body })).status).toBe(201);
}

export async function edit(as: Caller, name: string, body: object): Promise<void> {
  api.clock.advance(1_000);
  expect((await api.call("PATCH", `/repos/${as.name}/${name}`, { as, body })).status).toBe(200);
}

/** Pushes a commit of about so many kilobytes; archived repositories are opened for it. */
async function push(as: Caller, name: string, kilobytes: number): Promise<void> {
  const { json } = await api.call("GET", `/repos/${as.name}/${name}`, { as });
  if (json.archived) await edit(as, name, { archived: false });
  const message = Array.from({ length: kilobytes * 1024 }, () => Math.random().toString(36)[2]).join("");
  const { id, pack } = makeCommit({ message });
  api.clock.advance(1_000);
  await pushToRepository(
    api.forge,
    { id: json.id, ownerId: json.owner.id },
    { user: as.user },
    { changes: [{ name: "refs/heads/main", new: id }], pack },
  );
  await noteRepositoryActivity(api.forge, json.id);
  if (json.archived) await edit(as, name, { archived: true });
}

export const names = (rows: { full_name: string }[]) => rows.map((one) => one.full_name);

/** Makes it before the tests of a file, and takes it away after them. */
export function useRepositories(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob, boss, shy] = [
      await api.makeUser({ name: "alice" }),
      await api.makeUser({ name: "bob" }),
      await api.makeUser({ name: "boss", isAdmin: true }),
      await api.makeUser({ name: "shy", visibility: "private" }),
    ];
    await make(alice, { name: "Beta", description: "about whales" });
    await make(alice, { name: "alpha-secret", private: true });
    await make(alice, { name: "gamma", template: true });
    await make(bob, { name: "alphabet" });
    await make(shy, { name: "alpha-of-shy" });
    await edit(alice, "gamma", { archived: true });
    await push(alice, "Beta", 3);
    await push(alice, "gamma", 1);
  });
  afterAll(() => api.stop());
}
