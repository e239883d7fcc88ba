import { describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { makeCommit } from "../../../core/repository/commits.ts";
import { api, make, names, useRepositories } from "./search-world.ts";

useRepositories();

describe("userCurrentListRepos", () => {
  it("200: order_by=size follows a push by the event that tells of it (D-LISTED)", async () => {
    const carol = await api.makeUser({ name: "carol" });
    await make(carol, { name: "a" });
    await make(carol, { name: "b" });
    const { json } = await api.call("GET", "/repos/carol/b", { as: carol });
    const { id, pack } = makeCommit();
    const changes = [{ name: "refs/heads/main", new: id }];
    await pushToRepository(
      api.forge,
      { id: json.id, ownerId: json.owner.id },
      { user: carol.user },
      { changes, pack },
    );
    await api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
    const sorted = await api.call("GET", "/user/repos?order_by=size", { as: carol });
    expect(names(sorted.json)).toEqual(["carol/b", "carol/a"]);
  });
});

describe("repoSearch and the size of its pages", () => {
  it("200: at most 50 rows, however many are asked for; pages begin at 1 (LIM-1, OPQ-repoSearch.limit, OPQ-repoSearch.page)", async () => {
    const many = await api.makeUser({ name: "many" });
    for (let at = 0; at < 51; at += 1) await make(many, { name: `r${at}` });
    const rows = async (query: string) => {
      const { json, headers } = await api.call("GET", `/repos/search?uid=${many.user.id}&sort=id&${query}`);
      expect(headers.get("x-total-count")).toBe("51");
      return names(json.data);
    };
    const first = await rows("limit=100");
    expect([first.length, first[0]]).toEqual([50, "many/r0"]);
    expect(await rows("limit=100&page=1")).toEqual(first);
    expect(await rows("limit=100&page=2")).toEqual(["many/r50"]);
    expect(await rows("limit=2&page=3")).toEqual(["many/r4", "many/r5"]);
  });
});
