import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StarOrWatchKind, starAndWatchItems } from "#core/star-watch/star-watch.table";
import { put } from "#core/table/write";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { measured } from "#tests/support/measured";
import { writeMany } from "#tests/support/write-many";

const most = 10_000;
const firstId = 1_000_000;

let api: TestApi;
let alice: Caller;
let bob: Caller;
let repository: TestRepository;

beforeAll(async () => {
  api = await makeApi({ simulation: false }); // it looks at every item before it is written
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  repository = await makeRepository(api, alice);
});
afterAll(() => api.stop());

/** Adds stars or watches beside the verbs: bob's of repositories that are gone, or of the repository by users who are. */
async function addMany(
  kind: StarOrWatchKind,
  end: "user" | "repository",
  count: number,
  first = firstId,
): Promise<void> {
  const items = Array.from({ length: count }, (_, place) => {
    const other = first + place;
    const ids =
      end === "user"
        ? { userId: bob.user.id, repositoryId: other }
        : { userId: other, repositoryId: repository.repository.id };
    const [ofRepository, ofUser] = starAndWatchItems(kind, {
      ...ids,
      mode: "asked",
      createdAt: 2_000_000_000,
    });
    return put(end === "user" ? ofUser : ofRepository);
  });
  await writeMany(api.forge, items);
}

async function list(path: string): Promise<readonly [number, string | null]> {
  const { json, headers } = await api.call("GET", path, { as: bob });
  return [json.length, headers.get("x-total-count-exact")];
}

describe("lists of stars and watches (D-TOTAL)", () => {
  it("userCurrentListSubscriptions: reads 10,000 of a user's watches, and says so when there are more", async () => {
    await api.call("PUT", `${repository.path}/subscription`, { as: bob });
    await addMany("watch", "user", most - 1);
    expect(await list("/user/subscriptions")).toEqual([1, null]);
    await addMany("watch", "user", 1, firstId + most);
    const { usage, result } = await measured(() => list("/user/subscriptions"));
    expect(result).toEqual([0, "false"]);
    expect(usage.tableReadUnits).toBeLessThan(400);
    expect((await api.call("GET", "/users/bob/activities/feeds", { as: bob })).status).toBe(200);
  });

  it("repoListStargazers: reads 10,000 stars of a repository, the oldest accounts'", async () => {
    await api.call("PUT", `/user/starred${repository.path.slice("/repos".length)}`, { as: bob });
    await addMany("star", "repository", most);
    expect(await list(`${repository.path}/stargazers`)).toEqual([1, "false"]);
  });
});
