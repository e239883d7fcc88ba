import { afterAll, beforeAll } from "vitest";
import type { Repository } from "#core/repository/repository.table";
import { repositoryKey } from "#core/repository/repository.table";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

export let api: TestApi;
export let served: ServedGit;
export let alice: Caller;
export let bob: Caller;

export const create = (name: string, title: string) =>
  api.call("POST", `/repos/alice/${name}/wiki/new`, { as: alice, body: { title, content_base64: "aGkK" } });
export const stored = async (id: number) =>
  (await api.forge.table.get<Repository>(repositoryKey(id))) as Repository;

/** Makes it before the tests of a file, and takes it away after them. */
export function useWikiGit(): void {
  beforeAll(async () => {
    api = await makeApi();
    served = await serveGit(api);
    await api.makeUser({ name: "root", isAdmin: true });
    [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  });
  afterAll(async () => {
    await served.stop();
    await api.stop();
  });
}
