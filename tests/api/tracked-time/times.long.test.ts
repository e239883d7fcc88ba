import { describe, expect, it } from "vitest";
import { issuePartition } from "#core/issue/issue.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { repositoryTimes, userTimes } from "#core/tracked-time/tracked-time.table";
import type { ApiAnswer } from "#tests/support/api";
import { emptyDeletedIssues, openIssue } from "../issue/make.ts";
import {
  add,
  api,
  author,
  list,
  owner,
  remove,
  seconds,
  setTracker,
  track,
  useTimes,
  where,
} from "./times-world.ts";

useTimes();

describe("what it costs", () => {
  it("7 requests and 17 w to book, 5 and 16 w to remove; 6 to list a page of one repository, 3 and 4 for each repository of one's own", async () => {
    const spent = async (asked: Promise<ApiAnswer>) => {
      const told = (await asked).headers.get("server-timing") ?? "";
      const [, requests, writes] = /(\d+) requests, \S+ read and (\d+) write/.exec(told) ?? [];
      return [Number(requests), Number(writes)];
    };
    const caller = await api.makeUser();
    await setTracker({ isTimeForContributorsOnly: false });
    const ids: number[] = [];
    for (let time = 1; time <= 30; time += 1) ids.push(await track(caller, { time }));
    expect([
      await spent(add(caller, { time: 1 })),
      await spent(remove(caller, ids[0] as number)),
      await spent(list(owner)),
      await spent(list(owner, `${where.path}/times`)),
      await spent(list(caller, "/user/times")),
    ]).toEqual([
      [7, 17],
      [5, 16],
      [6, 0],
      [6, 0],
      [7, 0],
    ]);
  });
});

describe("where time is kept", () => {
  it("204: hidden with its issue at once, in every list and total; nothing is left of it later", async () => {
    const caller = await api.makeUser();
    await setTracker({ isTimeForContributorsOnly: false });
    await openIssue(api, where, author);
    for (const number of [1, 2]) await track(caller, { time: number }, number);
    await api.call("POST", `${where.path}/issues/1/stopwatch/start`, { as: owner });
    expect((await api.call("DELETE", `${where.path}/issues/1`, { as: owner })).status).toBe(204);
    for (const path of [`${where.path}/times`, "/user/times"]) {
      const answer = await list(caller, path);
      expect([seconds(answer), answer.headers.get("x-total-count")]).toEqual([[2], "1"]);
    }
    expect((await list(owner, "/user/stopwatches")).json).toEqual([]);
    await emptyDeletedIssues(api);
    expect(await api.forge.table.queryAll({ pk: issuePartition(where.repository.id, 1) })).toEqual([]);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  });

  it("at the issue, the repository and the user: nothing is left of a repository that is emptied", async () => {
    await track(author, { time: 5 });
    const rows = async () => [
      ...(await api.forge.table.queryAll({ pk: repositoryTimes(where.repository.id) })),
      ...(await api.forge.table.queryAll({ pk: userTimes(author.user.id) })).filter(
        (row) => row.repositoryId === where.repository.id,
      ),
    ];
    expect(await rows()).toHaveLength(2);
    const { emptyRepository } = await import("#core/lifecycle/end-of-repository");
    await api.call("DELETE", where.path, { as: owner });
    const args = { repositoryId: where.repository.id, hiddenAt: api.clock.now() };
    let cursor: Parameters<typeof emptyRepository.step>[2];
    for (;;) {
      const step = await emptyRepository.step(api.forge, args, cursor);
      if ("done" in step || step.waitMs !== undefined) break;
      cursor = step.cursor;
    }
    expect(await rows()).toEqual([]);
  });
});
