import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { addComment, openIssue } from "#tests/api/issue/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { tell } from "./make.ts";

/** For the file that calls it: an API whose data is checked in the end; for each test three new users, and an issue of alice's. */
export function toldPeople() {
  const api = {} as TestApi;
  const repository = {} as TestRepository;
  const people = {} as { alice: Caller; bob: Caller; eve: Caller };

  const opened = {} as { number: number };

  beforeAll(async () => {
    Object.assign(api, await makeApi());
  });
  afterAll(async () => {
    const nobodyAdministers = 8;
    expect((await findingsOf(api)).filter(({ invariant }) => invariant !== nobodyAdministers)).toEqual([]);
    await api.stop();
  });
  beforeEach(async () => {
    const [alice, second, third] = [await api.makeUser(), await api.makeUser(), await api.makeUser()];
    Object.assign(people, { alice, bob: second, eve: third });
    Object.assign(repository, await makeRepository(api, alice));
    opened.number = (await openIssue(api, repository, alice)).number;
    await tell(api);
  });

  const commented = async (as: Caller, body?: string) => {
    api.clock.advance(1000);
    const comment = await addComment(api, repository, opened.number, as, body);
    await tell(api);
    return comment;
  };
  const mark = (as: Caller, query = "", path = "") =>
    api.call("PUT", `${path}/notifications${query}`, { as });

  return { api, repository, people, opened, commented, mark };
}
