import { afterAll, beforeAll, beforeEach } from "vitest";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import type { Caller, TestApi } from "#tests/support/api";
import { endActivity, startActivity, told } from "./make.ts";

/** For the file that calls it: an API with an administrator, and three new users for each test. */
export function toldPeople() {
  const api = {} as TestApi;
  const boss = {} as Caller;
  const people = {} as { alice: Caller; bob: Caller; eve: Caller };

  beforeAll(async () => {
    const started = await startActivity();
    Object.assign(api, started.api);
    Object.assign(boss, started.boss);
  });
  afterAll(() => endActivity(api));
  beforeEach(async () => {
    Object.assign(people, {
      alice: await api.makeUser(),
      bob: await api.makeUser(),
      eve: await api.makeUser(),
    });
  });

  const at = ({ name }: Caller) => `/users/${name}`;
  const done = () => told(api);
  async function privateOf(owner: Caller, reader?: Caller): Promise<TestRepository> {
    const made = await makeRepository(api, owner, { isPrivate: true });
    if (reader !== undefined) {
      await api.call("PUT", `${made.path}/collaborators/${reader.name}`, {
        as: owner,
        body: { permission: "write" },
      });
    }
    return made;
  }

  return { api, boss, people, at, done, privateOf };
}
