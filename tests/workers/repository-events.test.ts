import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
import { createComment, editComment } from "#core/comment/comment";
import type { HookSettings } from "#core/hook/hook";
import type { Hook } from "#core/hook/hook.table";
import { editIssue } from "#core/issue/edit";
import { issuePartition } from "#core/issue/issue.table";
import { removeRepository } from "#core/repository/removal/remove";
import type { Repository } from "#core/repository/repository.table";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";
import {
  deliversOnceThough,
  deliversThough,
  hooked,
  issueToTell,
  openIssue as openIssueOn,
  settled,
} from "./hooked.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterEach(() => {
  world.test.faults.recover();
  world.receiver.answer = (response) => response.end();
});
afterAll(() => world.stop());

const makeHooked = (settings: Partial<HookSettings> = {}) => hooked(world, settings);
const openIssue = (access: RepositoryAccess, body?: string) => openIssueOn(world, access, body);

describe("what issues and comments emit (semantics §27.4, §27.5)", () => {
  it("tells of an issue that is opened, edited with what was there before, closed and reopened", async () => {
    const { access } = await makeHooked();
    const { number } = await openIssue(access, "Was this");
    const [opened] = await world.deliver();
    expect(opened).toMatchObject({ event: "issues", type: "issues" });
    expect(opened?.payload).toMatchObject({
      action: "opened",
      number,
      issue: { number, title: "Title", body: "Was this", state: "open", user: { login: "Olga" } },
      repository: { full_name: `Olga/${access.repository.name}`, open_issues_count: 1 },
      sender: { login: "Olga", email: "olga@noreply.127.0.0.1" },
      commit_id: "",
    });
    expect(opened?.payload.changes).toBeUndefined();

    const edit = async (changes: object) => {
      await editIssue(world.forge, access, number, changes, world.actor);
      return (await world.deliver()).map(({ payload }) => payload);
    };
    expect(await edit({ title: "New", body: "Is this" })).toMatchObject([
      {
        action: "edited",
        changes: { title: { from: "Title" }, body: { from: "Was this" } },
        issue: { title: "New", body: "Is this" },
      },
    ]);
    const [titled] = await edit({ title: "Newer" });
    expect(titled.changes).toEqual({ title: { from: "New" } });
    expect(await edit({ isClosed: true })).toMatchObject([{ action: "closed", issue: { state: "closed" } }]);
    expect(await edit({ isClosed: false })).toMatchObject([{ action: "reopened", issue: { state: "open" } }]);
  });

  it("tells of a comment that is written and rewritten", async () => {
    const { access } = await makeHooked({ events: ["issue_comment"] });
    const { number } = await openIssue(access);
    const { id } = await createComment(world.forge, access, number, "First words", world.actor);
    await world.runEvents();
    await editComment(world.forge, access, id, "Second thoughts", world.actor);
    const events = await world.deliver();
    expect(events.map(({ event, type }) => [event, type])).toEqual(
      Array(2).fill(["issue_comment", "issue_comment"]),
    );
    const byAction = Object.fromEntries(events.map(({ payload }) => [payload.action, payload]));
    expect(byAction.created).toMatchObject({
      is_pull: false,
      issue: { number },
      comment: { id, body: "First words" },
    });
    expect(byAction.edited).toMatchObject({
      comment: { id, body: "Second thoughts" },
      changes: { body: { from: "First words" } },
    });
  });

  it("tells hooks of issues of comments too, under their own name (27.10-6); a branch filter does not matter (27.10-4)", async () => {
    const { access } = await makeHooked({ events: ["issues"], branchFilter: "release/*" });
    const { number } = await openIssue(access);
    await createComment(world.forge, access, number, "Hello", world.actor);
    expect((await world.deliver()).map(({ event }) => event).toSorted()).toEqual(["issue_comment", "issues"]);
  });

  it("sends a body of the greatest size whole, as a form, by way of the bucket (27.10-3)", async () => {
    const { access, hook } = await makeHooked({ contentType: "form" });
    const body = `${"€".repeat(64_000)}&=+ü`;
    await openIssue(access, body);
    const [opened] = await world.deliver();
    expect(opened?.payload.issue.body).toBe(body);
    const [delivery] = await world.deliveriesOf(hook);
    expect(delivery).toMatchObject({ state: "answered", payloadKey: expect.stringMatching(/^deliveries\//) });
    expect(delivery?.payload).toBeUndefined();
  });
});

describe("what repositories emit", () => {
  it("tells of the deletion and then starts the job that empties the repository", async () => {
    const { repository, access, hook } = await makeHooked({ events: ["repository"] });
    await openIssue(access);
    await removeRepository(world.forge, world.actor, repository);
    const events = await world.deliver();
    expect(events).toMatchObject([
      {
        type: "repository",
        payload: {
          action: "deleted",
          repository: { id: repository.id, full_name: `Olga/${repository.name}` },
          organization: { login: "Olga" },
          sender: { login: "Olga" },
        },
      },
    ]);
    expect((await world.deliveriesOf(hook)).map(({ state }) => state)).toEqual(["answered"]);
    expect(await world.forge.table.queryAll({ pk: issuePartition(repository.id, 1) })).toEqual([]);
  });

  it("has nobody to tell of a creation but drops the event quietly", async () => {
    await world.makeRepository();
    expect(await world.runEvents()).toMatchObject({ done: 1, failed: 0 });
  });
});

describe("repeated and interrupted events", () => {
  const prepared = () => issueToTell(world);
  const settle = () => settled(world);

  it("delivers once when the queue hands an event out twice", async () => {
    const { received, hook } = await prepared();
    const [message] = await world.test.queues.take("repository-events");
    if (message === undefined) throw new Error("no event was queued");
    await world.forge.queues.send("repository-events", [message, message]);
    await settle();
    await world.forge.queues.send("repository-events", [message]);
    await settle();
    expect(received().length).toBe(1);
    expect((await world.deliveriesOf(hook)).length).toBe(1);
  });

  it.each([["after", 1]] as const)(
    "delivers once when the event worker is killed %s its write %i",
    (when, write) => deliversOnceThough(world, when, write),
  );

  it.each([["after", 1, 1]] as const)(
    "delivers when the webhook worker is killed %s its write %i: %i request, one delivery id, recorded",
    (when, write, requests) => deliversThough(world, when, write, requests),
  );

  it("tries again when no answer comes, with the pauses of D-DELIVERY, and leaves no dead letter", async () => {
    const { received, hook } = await prepared();
    world.receiver.answer = (response) => response.destroy();
    world.delays.length = 0;
    await settle();
    expect(world.delays).toEqual([0, 30, 120, 600]);
    expect(received().length).toBe(4);
    expect(await world.deliveriesOf(hook)).toMatchObject([{ state: "failed", attempts: { length: 4 } }]);
    expect(await world.test.queues.takeDead("webhooks")).toEqual([]);
  });
});

describe("settings", () => {
  const withSettings = async (
    settings: Record<string, string>,
    check: (other: HookWorld, hook: Hook, repository: Repository) => Promise<void>,
  ) => {
    const other = await makeHookWorld({ settings });
    try {
      const repository = await other.makeRepository();
      const hook = await other.makeHook(repository);
      await other.push(repository, [{ files: { a: "1" } }], ([id = ""]) => [
        { name: "refs/heads/main", new: id },
      ]);
      await check(other, hook, repository);
    } finally {
      await other.stop();
    }
  };

  it("DISABLE_WEBHOOKS: nothing is recorded, nothing sent", () =>
    withSettings({ DISABLE_WEBHOOKS: "true" }, async (other, hook) => {
      expect(await other.deliver()).toEqual([]);
      expect(await other.deliveriesOf(hook)).toEqual([]);
    }));

  it("WEBHOOK_ALLOWED_HOST_LIST: what it does not permit is recorded with its name, and logged", () =>
    withSettings({ WEBHOOK_ALLOWED_HOST_LIST: "external" }, async (other, hook) => {
      expect(await other.deliver()).toEqual([]);
      const reason = expect.stringContaining("add loopback to WEBHOOK_ALLOWED_HOST_LIST");
      const attempts = [{ outcome: "refused", reason }];
      expect(await other.deliveriesOf(hook)).toMatchObject([
        { state: "failed", attempts },
        { state: "failed", attempts },
        { state: "failed", attempts },
      ]);
      expect(other.test.logged.filter(({ event }) => event === "webhooks:not-delivered")).toMatchObject(
        Array(3).fill({ level: "warn", hookId: hook.id, reason }),
      );
    }));
});
