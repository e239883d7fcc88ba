import { describe, expect, it } from "vitest";
import { entryPrefix, type TimelineEntry } from "#core/comment/comment.table";
import { issuePartition } from "#core/issue/issue.table";
import { userTimes } from "#core/tracked-time/tracked-time.table";
import type { Caller } from "#tests/support/api";
import { openIssue } from "../issue/make.ts";
import { makeRepository, setRepository } from "../repository/make.ts";
import {
  add,
  api,
  assignee,
  author,
  boss,
  list,
  owner,
  remove,
  seconds,
  setTracker,
  stranger,
  times,
  track,
  useTimes,
  where,
  writer,
} from "./times-world.ts";

useTimes();

const text = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, "Z");
const now = () => text(api.clock.now());
const entries = async () => {
  const pk = issuePartition(where.repository.id, 1);
  return (await api.forge.table.queryAll<TimelineEntry>({ pk, prefix: entryPrefix })).map(
    ({ type, body, time, authorId }) => ({ type, body, seconds: time?.seconds, authorId }),
  );
};

const booked = () => track(owner, { time: 60, user_name: stranger.name });

describe("issueAddTime", () => {
  it("200: books time now, tells of it in the timeline, and dates the issue (OP-issueAddTime, RES-TrackedTime)", async () => {
    api.clock.advance(3_600_000);
    const answer = await add(owner, { time: 3903 });
    expect(answer.status).toBe(200);
    const { user } = owner;
    expect(answer.json).toMatchObject({ time: 3903, created: now(), user_id: user.id, user_name: user.name });
    expect(answer.json.issue).toMatchObject({ number: 1, updated_at: now() });
    expect(answer.json.issue_id).toBe(answer.json.issue.id);
    expect(await entries()).toEqual([
      { type: "add_time_manual", body: "1h 5m 3s", seconds: 3903, authorId: user.id },
    ]);
    expect((await list(owner)).json).toEqual([answer.json]);
  });

  it("200: time may be dated, and negative", async () => {
    const at = "2024-01-02T03:04:05.900+02:00";
    expect((await add(owner, { time: -60, created: at })).json).toMatchObject({
      time: -60,
      created: "2024-01-02T01:04:05Z",
    });
    expect((await entries()).at(-1)?.body).toBe("-1m");
  });

  it("200: writers, the author and assignees may; 403 with a message: others, unless all may (ERR-403)", async () => {
    await api.call("PATCH", `${where.path}/issues/1`, { as: owner, body: { assignees: [assignee.name] } });
    await api.call("DELETE", `${where.path}/collaborators/${assignee.name}`, { as: owner });
    await api.call("PATCH", `${where.path}/issues/1`, { as: owner, body: { title: "still theirs" } });
    for (const caller of [owner, writer, author, boss]) await track(caller, { time: 1 });
    const refused = await add(stranger, { time: 1 });
    expect(refused.status).toBe(403);
    expect(refused.json.message).toContain("may track time");
    await setTracker({ isTimeForContributorsOnly: false });
    await track(stranger, { time: 1 });
  });

  it("400: where the repository tracks no time (ERR-400); 404: where its issues are off, or there is no such issue", async () => {
    expect((await add(owner, { time: 1 }, 99)).status).toBe(404);
    await setTracker({ hasTimeTracker: false });
    expect((await add(owner, { time: 1 })).status).toBe(400);
    expect((await add(stranger, { time: 1 })).status).toBe(400);
    await setRepository(api, where, { units: ["code"] });
    expect((await add(owner, { time: 1 })).status).toBe(404);
  });

  it("422: no time, zero, fractions, texts, more than a life; a time before 1970", async () => {
    for (const body of [{}, { time: 0 }, { time: 1.5 }, { time: "1h" }, { time: 2 ** 40 }]) {
      const answer = await add(owner, body);
      expect(`${JSON.stringify(body)} ${answer.status}`).toBe(`${JSON.stringify(body)} 422`);
      expect(answer.json.message).toContain("Time");
    }
    for (const created of ["yesterday", "1969-12-31T23:59:59Z"]) {
      expect((await add(owner, { time: 1, created })).status).toBe(422);
    }
    expect((await list(owner)).json).toEqual([]);
  });

  it("200: administrators book for others; of others the name is ignored; 404: nobody has that name", async () => {
    const user_name = stranger.name;
    expect((await add(owner, { time: 1, user_name })).json.user_id).toBe(stranger.user.id);
    expect((await add(boss, { time: 1, user_name })).json.user_id).toBe(stranger.user.id);
    expect((await add(writer, { time: 1, user_name })).json.user_id).toBe(writer.user.id);
    expect((await add(owner, { time: 1, user_name: "nobody-here" })).status).toBe(404);
  });

  it("403: for whom the owner blocks", async () => {
    await api.call("PUT", `/user/blocks/${author.name}`, { as: owner });
    expect((await add(author, { time: 1 })).status).toBe(403);
    await api.call("DELETE", `/user/blocks/${author.name}`, { as: owner });
  });
});

describe.each(["issueTrackedTimes", "repoTrackedTimes"])("%s", (operation) => {
  const lists = () => [operation === "issueTrackedTimes" ? times() : `${where.path}/times`];

  it("200: in the order in which time was spent, by pages, with the total", async () => {
    for (const [time, day] of [
      [30, 3],
      [10, 1],
      [20, 2],
    ]) {
      await track(owner, { time, created: `2024-01-0${day}T00:00:00Z` });
    }
    for (const path of lists()) {
      expect(seconds(await list(owner, path))).toEqual([10, 20, 30]);
      const second = await list(owner, `${path}?limit=2&page=2`);
      expect([seconds(second), second.headers.get("x-total-count")]).toEqual([[30], "3"]);
      const beyond = await list(owner, `${path}?page=9999999`);
      expect([beyond.json, beyond.headers.get("x-total-count")]).toEqual([[], "3"]);
    }
  });

  it("200: since and before count both ends; 422: what is no date", async () => {
    for (const day of [1, 2, 3]) await track(owner, { time: day, created: `2024-01-0${day}T00:00:00Z` });
    for (const path of lists()) {
      const within = (from: string, to: string) => list(owner, `${path}?since=${from}&before=${to}`);
      expect(seconds(await within("2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z"))).toEqual([2, 3]);
      expect(seconds(await within("2024-01-02T00:00:01Z", "2024-01-02T23:59:59Z"))).toEqual([]);
      expect(seconds(await within("2024-01-03T00:00:00Z", "2024-01-01T00:00:00Z"))).toEqual([]);
      expect(seconds(await within("0000-01-01T00:00:00Z", "1960-01-01T00:00:00Z"))).toEqual([]);
      expect((await list(owner, `${path}?since=xyz`)).status).toBe(422);
      expect((await list(owner, `${path}?before=2024`)).status).toBe(422);
    }
  });

  it("200: writers see all, others their own; 403: another's; 404: of nobody", async () => {
    await track(owner, { time: 1 });
    await track(author, { time: 2 });
    for (const path of lists()) {
      expect(seconds(await list(writer, path))).toEqual([1, 2]);
      expect(seconds(await list(boss, path))).toEqual([1, 2]);
      expect(seconds(await list(author, path))).toEqual([2]);
      expect(seconds(await list(author, `${path}?user=${author.name}`))).toEqual([2]);
      expect(seconds(await list(writer, `${path}?user=${author.name.toUpperCase()}`))).toEqual([2]);
      expect((await list(author, `${path}?user=${owner.name}`)).status).toBe(403);
      expect((await list(writer, `${path}?user=nobody-here`)).status).toBe(404);
    }
  });

  it("404 of an issue, 400 of a repository: where no time is tracked", async () => {
    await setTracker({ hasTimeTracker: false });
    const expected = operation === "issueTrackedTimes" ? 404 : 400;
    for (const path of lists()) expect((await list(owner, path)).status).toBe(expected);
  });
});

describe("userTrackedTimes", () => {
  it("200: for the user and administrators; 403: writers; 404: an unknown user", async () => {
    await track(owner, { time: 1 });
    await track(author, { time: 2 });
    const of = (as: Caller, name: string) => list(as, `${where.path}/times/${name}`);
    for (const caller of [author, owner, boss]) expect(seconds(await of(caller, author.name))).toEqual([2]);
    expect((await of(writer, author.name)).status).toBe(403);
    expect((await of(owner, "nobody-here")).status).toBe(404);
    await setTracker({ hasTimeTracker: false });
    expect((await of(owner, owner.name)).status).toBe(400);
  });
});

describe("userCurrentTrackedTimes", () => {
  it("200: of all repositories that the caller may read; none of those that they may not any more (B-18)", async () => {
    const caller = await api.makeUser();
    const secret = await makeRepository(api, owner, { isPrivate: true });
    const person = `${secret.path}/collaborators/${caller.name}`;
    await api.call("PUT", person, { as: owner, body: { permission: "write" } });
    await api.call("PUT", `${where.path}/collaborators/${caller.name}`, {
      as: owner,
      body: { permission: "write" },
    });
    await openIssue(api, secret, owner, { title: "hush" });
    await track(caller, { time: 1, created: "2024-01-02T00:00:00Z" });
    const at = { time: 2, created: "2024-01-01T00:00:00Z" };
    expect((await api.call("POST", `${secret.path}/issues/1/times`, { as: caller, body: at })).status).toBe(
      200,
    );
    const both = await list(caller, "/user/times");
    expect(both.json.map((one: { issue: { title: string } }) => one.issue.title)).toEqual([
      "hush",
      "An issue",
    ]);
    expect(seconds(await list(caller, "/user/times?since=2024-01-02T00:00:00Z"))).toEqual([1]);
    const token = await api.makeToken(caller, ["public-only", "all"]);
    expect(seconds(await list({ ...caller, token }, "/user/times"))).toEqual([1]);
    await api.call("DELETE", person, { as: owner });
    const left = await list(caller, "/user/times");
    expect([seconds(left), left.headers.get("x-total-count")]).toEqual([[1], "1"]);
  });
});

describe("issueDeleteTime", () => {
  it("204: who spent it, and site administrators; 403: others; 404: gone already, or of another issue", async () => {
    await openIssue(api, where, author);
    const [mine, others] = [await track(author, { time: 60 }), await track(author, { time: 1 })];
    expect((await remove(owner, mine)).status).toBe(403);
    expect((await remove(author, mine, 2)).status).toBe(404);
    expect((await remove(author, mine)).status).toBe(204);
    expect((await remove(author, mine)).status).toBe(404);
    expect((await remove(boss, others)).status).toBe(204);
    expect((await entries()).slice(2)).toEqual([
      { type: "delete_time_manual", body: "1m", seconds: 60, authorId: author.user.id },
      { type: "delete_time_manual", body: "1s", seconds: 1, authorId: boss.user.id },
    ]);
    for (const path of [times(), `${where.path}/times`]) expect((await list(owner, path)).json).toEqual([]);
  });

  it("204: a user who may no longer track removes their own times, one or all (semantics §19.7)", async () => {
    expect((await remove(stranger, await booked())).status).toBe(204);
    expect((await list(owner)).json).toEqual([]);
    await booked();
    expect((await remove(stranger)).status).toBe(204);
    expect((await list(owner)).json).toEqual([]);
  });

  it("400: where no time is tracked; 403: who may not track it", async () => {
    expect((await remove(stranger)).status).toBe(403);
    expect((await remove(stranger, 1)).status).toBe(403);
    await setTracker({ hasTimeTracker: false });
    expect((await remove(owner)).status).toBe(400);
    expect((await remove(owner, 1)).status).toBe(400);
  });

  it("204 and 404: of two who remove one time at once, one does, and one entry tells of it", async () => {
    const id = await track(author, { time: 5 });
    const answers = await Promise.all([remove(author, id), remove(boss, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect((await entries()).filter(({ type }) => type === "delete_time_manual")).toHaveLength(1);
  });
});

describe("issueResetTime", () => {
  it("204: all of the caller's own, however many; 404: none", async () => {
    for (let time = 1; time <= 27; time += 1) await track(author, { time });
    await track(owner, { time: 7 });
    expect((await remove(author)).status).toBe(204);
    expect(seconds(await list(owner))).toEqual([7]);
    const told = (await entries()).filter(({ type }) => type === "delete_time_manual");
    expect(told.map(({ body }) => body)).toEqual(["5m 25s", "53s"]);
    expect((await remove(author)).status).toBe(404);
  });
});

describe("where time is kept", () => {
  it("200: in the timeline as it was then, also after it was removed (issueGetCommentsAndTimeline)", async () => {
    const booked = await add(author, { time: 60 });
    await remove(author, booked.json.id);
    const told = await list(owner, `${where.path}/issues/1/timeline`);
    const { issue, ...time } = booked.json;
    expect(told.json.map((one: { tracked_time: unknown }) => one.tracked_time)).toMatchObject([time, time]);
    expect(told.json[0].tracked_time.issue).toMatchObject({ id: issue.id, number: 1 });
  });

  it("200: a deleted user's time stays and shows the ghost; a purged user's is gone (B-14)", async () => {
    const [leaving, purged] = [await api.makeUser(), await api.makeUser()];
    await setTracker({ isTimeForContributorsOnly: false });
    await track(leaving, { time: 1 });
    await track(purged, { time: 2 });
    for (const path of [leaving.name, `${purged.name}?purge=true`]) {
      expect((await api.call("DELETE", `/admin/users/${path}`, { as: boss })).status).toBe(204);
    }
    for (const path of [times(), `${where.path}/times`]) {
      const { json } = await list(owner, path);
      expect(json).toMatchObject([{ time: 1, user_name: "Ghost" }]);
    }
    expect(await api.forge.table.queryAll({ pk: userTimes(purged.user.id) })).toEqual([]);
  });
});
