import { afterAll, beforeAll } from "vitest";
import { createRepository } from "#core/repository/create";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

export let api: TestApi;
export let ada: Caller;

export const markdown = (body: object, as?: Caller) => api.call("POST", "/markdown", { body, as });

/** Makes it before the tests of a file, and takes it away after them. */
export function useMarkdown(): void {
  beforeAll(async () => {
    api = await makeApi({ settings: { ROOT_URL: "https://forge.example" } });
    ada = await api.makeUser({ name: "ada" });
    await createRepository(api.forge, ada, ada.user, { name: "engine" });
    await createRepository(api.forge, ada, ada.user, { name: "hidden", isPrivate: true });
  });
  afterAll(async () => {
    await api.stop();
  });
}
