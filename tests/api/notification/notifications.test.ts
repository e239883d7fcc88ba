import { describe, expect, it } from "vitest";
import { repositoryEvent } from "#core/hook/events";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { openIssue } from "#tests/api/issue/make";
import { makeRepository } from "#tests/api/repository/make";
import type { Caller } from "#tests/support/api";
import { listed, tell, unreadOf } from "./make.ts";
import { toldPeople } from "./told-people.ts";

const { api, repository, people, opened, commented, mark } = toldPeople();

describe("notifyGetList", () => {
  it("200: who opened an issue is told of a comment, the commenter is not (scenario 1)", async () => {
    const { alice, bob: other } = people;
    expect([await listed(api, alice), await unreadOf(api, alice)]).toEqual([[], 0]);
    const comment = await commented(other);
    const [one, ...more] = await listed(api, alice);
    expect(more).toEqual([]);
    expect(await listed(api, other)).toEqual([]);
    expect(await unreadOf(api, alice)).toBe(1);
    const { path } = repository;
    expect(one).toMatchObject({
      unread: true,
      pinned: false,
      repository: { id: repository.repository.id, permissions: null },
      subject: {
        title: "An issue",
        type: "Issue",
        state: "open",
        url: expect.stringContaining(`/api/v1${path}/issues/${opened.number}`),
        latest_comment_url: expect.stringContaining(`/issues/comments/${comment.id}`),
        latest_comment_html_url: expect.stringContaining(
          `/issues/${opened.number}#issuecomment-${comment.id}`,
        ),
      },
      url: expect.stringContaining(`/api/v1/notifications/threads/${one.id}`),
    });
  });

  it("200: two events of one issue are one notification, and a repeated message changes nothing", async () => {
    const { alice, bob: other } = people;
    const first = await commented(other);
    await commented(other);
    expect(await listed(api, alice)).toHaveLength(1);
    await mark(alice);
    const event = {
      ...({ kind: "issue-comment", action: "created", index: opened.number, commentId: first.id } as const),
      ...{ repositoryId: repository.repository.id, actorId: other.user.id, at: api.clock.now() },
    };
    await api.forge.queues.send("repository-events", [
      { ...repositoryEvent(event), eventId: "11111111-1111-4111-8111-111111111111" },
    ]);
    await tell(api);
    expect(await unreadOf(api, alice)).toBe(0);
  });

  it("200: filters by status, subject and time, pages, and says when the newest was updated", async () => {
    const { alice, bob: other } = people;
    await commented(other);
    const before = (await listed(api, alice))[0].updated_at;
    api.clock.advance(60_000);
    const second = (await openIssue(api, repository, other)).number;
    await tell(api);
    const both = await api.call("GET", "/notifications?limit=1", { as: alice });
    expect(both.headers.get("x-total-count")).toBe("2");
    expect(both.json[0].subject.url).toContain(`/issues/${second}`);
    expect(new Date(both.headers.get("last-modified") ?? "").toISOString()).toBe(
      new Date(both.json[0].updated_at).toISOString(),
    );
    const numbersOf = async (query: string) =>
      (await listed(api, alice, query)).map(({ subject }: { subject: { url: string } }) =>
        Number(subject.url.split("/").at(-1)),
      );
    expect(await numbersOf(`?before=${before}`)).toEqual([opened.number]);
    const after = new Date(Date.parse(before) + 1000).toISOString();
    expect(await numbersOf(`?since=${after}`)).toEqual([second]);
    expect(await numbersOf("?subject-type=pull&subject-type=commit")).toEqual([]);
    expect(await numbersOf("?subject-type=issue")).toEqual([second, opened.number]);
    expect(await numbersOf("?subject-type=commit")).toEqual([]);
    expect(await numbersOf("?subject-type=nonsense")).toEqual([second, opened.number]);
    expect(await numbersOf("?subject-type=nonsense&subject-type=pull")).toEqual([]);
    expect(await numbersOf("?status-types=read")).toEqual([]);
    await mark(alice, `?last_read_at=${before}`);
    expect(await numbersOf("")).toEqual([second]);
    expect(await numbersOf("?status-types=read")).toEqual([opened.number]);
    expect(await numbersOf("?all=true")).toEqual([second, opened.number]);
  });

  it("422: a time that is none", async () => {
    const answer = await api.call("GET", "/notifications?since=yesterday", { as: people.alice });
    expect(answer.status).toBe(422);
  });

  it("200: unsubscribed users hear nothing, subscribed strangers do (scenario 6)", async () => {
    const { alice, bob: other, eve: third } = people;
    const choose = (method: string, as: Caller) =>
      api.call(method, `${repository.path}/issues/${opened.number}/subscriptions/${as.name}`, { as });
    await choose("DELETE", alice);
    await choose("PUT", third);
    await commented(other);
    expect([await unreadOf(api, alice), await unreadOf(api, third)]).toEqual([0, 1]);
  });

  it("200: a recipient is told of a repository that is offered to them", async () => {
    const { alice, bob: other } = people;
    await api.call("POST", `${repository.path}/transfer`, { as: alice, body: { new_owner: other.name } });
    await tell(api);
    const [one] = await listed(api, other, "?subject-type=repository");
    expect(one.subject).toMatchObject({ type: "Repository", state: "", latest_comment_url: "" });
  });

  it("401 without a login, 403 for a token without the scope", async () => {
    expect((await api.call("GET", "/notifications")).status).toBe(401);
    const token = await api.makeToken(people.alice, ["read:issue"]);
    const answer = await api.call("GET", "/notifications", { as: { ...people.alice, token } });
    expect(answer.status).toBe(403);
  });
});

describe("notifyReadList", () => {
  it("200 with those that changed; the next comment turns them unread again (scenario 2)", async () => {
    const { alice, bob: other } = people;
    await commented(other);
    const marked = await mark(alice);
    expect([marked.status, marked.json.length, marked.json[0].unread]).toEqual([200, 1, false]);
    expect([await unreadOf(api, alice), await listed(api, alice)]).toEqual([0, []]);
    await commented(other);
    expect(await unreadOf(api, alice)).toBe(1);
    expect((await mark(alice, "?status-types=pinned")).json).toEqual([]);
    expect((await mark(alice, "?all=true&to-status=nonsense")).json).toHaveLength(1);
  });

  it("400: last_read_at is no time (scenario 5)", async () => {
    expect((await mark(people.alice, "?last_read_at=xyz")).status).toBe(400);
  });
});

describe("notifyNewAvailable", () => {
  it("200: counts what is unread", async () => {
    await commented(people.bob);
    await openIssue(api, repository, people.bob);
    await tell(api);
    const answer = await api.call("GET", "/notifications/new", { as: people.alice });
    expect([answer.status, answer.json]).toEqual([200, { new: 2 }]);
  });
});

describe("notifyGetThread", () => {
  it("200 for one's own, 403 for another's, 404 for none (scenario 4)", async () => {
    const { alice, bob: other } = people;
    await commented(other);
    const [one] = await listed(api, alice);
    const get = (id: number, as: Caller) => api.call("GET", `/notifications/threads/${id}`, { as });
    expect((await get(one.id, alice)).json).toEqual(one);
    expect((await get(one.id, other)).status).toBe(403);
    expect((await get(987_654, alice)).status).toBe(404);
  });
});

describe("notifyReadThread", () => {
  it("200: a pinned one stays pinned, and is listed as read (scenario 3); 403 and 404 as above", async () => {
    const { alice, bob: other } = people;
    await commented(other);
    const [{ id }] = await listed(api, alice);
    const patch = (as: Caller, query = "") =>
      api.call("PATCH", `/notifications/threads/${id}${query}`, { as });
    expect((await patch(alice, "?to-status=pinned")).json).toMatchObject({ pinned: true, unread: false });
    await commented(other);
    expect(await listed(api, alice)).toMatchObject([{ id, pinned: true, unread: false }]);
    expect(await unreadOf(api, alice)).toBe(0);
    expect((await patch(alice, "?to-status=unread")).json.unread).toBe(true);
    expect(await unreadOf(api, alice)).toBe(1);
    expect((await patch(alice)).json).toMatchObject({ pinned: false, unread: false });
    expect((await patch(other)).status).toBe(403);
    const none = await api.call("PATCH", "/notifications/threads/987654", { as: alice });
    expect(none.status).toBe(404);
  });
});

describe("notifyGetRepoList", () => {
  it("200: only what a repository told; 404 for one that the caller may not see (D-HIDDEN)", async () => {
    const { alice, bob: other, eve: third } = people;
    const second = await makeRepository(api, alice, { isPrivate: true });
    await commented(other);
    const of = (path: string, as: Caller) => api.call("GET", `${path}/notifications`, { as });
    expect((await of(repository.path, alice)).json).toHaveLength(1);
    expect((await of(second.path, alice)).json).toEqual([]);
    expect((await of(second.path, third)).status).toBe(404);
  });
});

describe("notifyReadRepoList", () => {
  it("200: marks only what a repository told; 400 as for all", async () => {
    const { alice, bob: other } = people;
    const second = await makeRepository(api, alice);
    await openIssue(api, second, other);
    await commented(other);
    expect(await unreadOf(api, alice)).toBe(2);
    expect((await mark(alice, "", second.path)).json).toHaveLength(1);
    expect(await unreadOf(api, alice)).toBe(1);
    expect((await mark(alice, "?last_read_at=xyz", second.path)).status).toBe(400);
  });
});

describe("the ends of things", () => {
  it("take notifications along: a deleted issue, whose late events tell nobody", async () => {
    const { alice, bob: other } = people;
    await commented(other);
    await api.call("DELETE", `${repository.path}/issues/${opened.number}`, { as: alice });
    expect(await listed(api, alice)).toEqual([]);
    await tell(api);
    expect(await unreadOf(api, alice)).toBe(0);
    const late = {
      ...({ kind: "issue", action: "closed", index: opened.number } as const),
      ...{ repositoryId: repository.repository.id, actorId: other.user.id, at: api.clock.now() },
    };
    const eventId = "22222222-2222-4222-8222-222222222222";
    await api.forge.queues.send("repository-events", [{ ...repositoryEvent(late), eventId }]);
    await api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
    expect(await unreadOf(api, alice)).toBe(0);
  });
});
