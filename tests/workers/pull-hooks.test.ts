import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createComment, editComment, removeComment } from "#core/comment/comment";
import { outbox, send } from "#core/events/outbox";
import { type ReviewAction, repositoryEvent } from "#core/hook/events";
import type { HookSettings } from "#core/hook/hook";
import { replaceIssueLabels } from "#core/issue/labels/labels";
import { lockIssue } from "#core/issue/lock";
import { createLabel } from "#core/label/label";
import { checkRepository } from "#core/lifecycle/check/check";
import { createMilestone } from "#core/milestone/milestone";
import { createPull } from "#core/pull/create";
import { editPull } from "#core/pull/edit";
import { followHead } from "#core/pull/follow/follow-head";
import { mergePull } from "#core/pull/merge/merge";
import { getPull } from "#core/pull/pull";
import { newReview } from "#core/review/review.table";
import { withText } from "#core/review/texts";
import { put } from "#core/table/write";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterAll(() => world.stop());

/** A repository with a request from `topic` into `main`, and a hook that hears of nothing before it. */
async function makeRequest(settings: Partial<HookSettings> = { events: ["pull_request", "issues"] }) {
  const { forge, actor } = world;
  const repository = await world.makeRepository();
  const access = world.accessTo(repository);
  const [, second = ""] = await world.push(
    repository,
    [{ files: { "a.txt": "a\n" } }, { files: { "a.txt": "a\n", "b.txt": "b\n" } }],
    ([first = "", second = ""]) => [
      { name: "refs/heads/main", new: first },
      { name: "refs/heads/other", new: first },
      { name: "refs/heads/topic", new: second },
    ],
  );
  await world.deliver();
  const hook = await world.makeHook(repository, settings);
  const pull = await createPull(
    forge,
    access,
    { title: "Title", body: "Text", base: "main", head: "topic" },
    actor,
  );
  return { repository, access, hook, pull, number: pull.number, second };
}

const labelIn = async ({ id }: { readonly id: number }) =>
  (await createLabel(world.forge, { kind: "repository", id }, { name: "bug", color: "ff0000" })).id;

const told = async () =>
  (await world.deliver()).map(({ event, type, payload }) => [event, type, payload.action]);

describe("what pull requests emit (semantics §27.4, §27.5)", () => {
  it("tells of a request that is opened, edited with what was there before, closed and reopened", async () => {
    const { access, number, second } = await makeRequest();
    const [opened, ...more] = await world.deliver();
    expect([opened, more]).toMatchObject([{ event: "pull_request", type: "pull_request" }, []]);
    expect(opened?.payload).toMatchObject({
      ...{ action: "opened", number, requested_reviewer: null, review: null, commit_id: "" },
      pull_request: {
        ...{ number, title: "Title", body: "Text", state: "open", merged: false, changed_files: 1 },
        base: { ref: "main", repo: { full_name: `Olga/${access.repository.name}` } },
        head: { ref: "topic", sha: second },
      },
      repository: { full_name: `Olga/${access.repository.name}`, open_pr_counter: 1 },
      sender: { login: "Olga", email: "olga@noreply.127.0.0.1" },
    });
    expect(opened?.payload).not.toHaveProperty("issue");
    expect(opened?.payload).not.toHaveProperty("changes");

    const edit = async (changes: object) => {
      await editPull(world.forge, access, number, changes, world.actor);
      return (await world.deliver()).map(({ event, payload }) => ({ event, ...payload }));
    };
    expect(await edit({ title: "New", base: "other" })).toMatchObject([
      {
        ...{
          event: "pull_request",
          action: "edited",
          pull_request: { title: "New", base: { ref: "other" } },
        },
        changes: { title: { from: "Title" }, ref: { from: "main" } },
      },
    ]);
    const [based] = await edit({ base: "main" });
    expect(based.changes).toEqual({ ref: { from: "other" } });
    expect(await edit({ isClosed: true })).toMatchObject([
      { event: "pull_request", action: "closed", pull_request: { state: "closed", merged: false } },
    ]);
    expect(await edit({ isClosed: false })).toMatchObject([{ action: "reopened" }]);
  });

  it("tells of labels, milestones and assignees under names of their own", async () => {
    const { forge, actor } = world;
    const { access, number } = await makeRequest();
    await world.deliver();
    const labelId = await labelIn(access.repository);
    await replaceIssueLabels(forge, access, number, [labelId], { actor });
    expect(await told()).toEqual([["pull_request", "pull_request_label", "label_updated"]]);
    await replaceIssueLabels(forge, access, number, [], { actor });
    expect(await told()).toEqual([["pull_request", "pull_request_label", "label_cleared"]]);
    const { id: milestoneId } = await createMilestone(forge, access.repository.id, { title: "M" });
    await editPull(forge, access, number, { milestoneId }, actor);
    expect(await told()).toEqual([["pull_request", "pull_request_milestone", "milestoned"]]);
    await editPull(forge, access, number, { assignees: ["Olga"] }, actor);
    expect(await told()).toEqual([["pull_request", "pull_request_assign", "assigned"]]);
  });

  it("tells of commits that the head branch gets, once", async () => {
    const { repository, access, number, second } = await makeRequest();
    await world.deliver();
    const [third] = await world.push(
      repository,
      [{ files: { "a.txt": "a\n", "c.txt": "c\n" }, parents: [second] }],
      ([third = ""]) => [{ name: "refs/heads/topic", old: second, new: third }],
    );
    const read = async () => (await getPull(world.forge, access, number)).pull.headId;
    await followHead(world.forge, await getPull(world.forge, access, number));
    expect(await read()).toBe(third);
    const events = await world.deliver();
    expect(events).toMatchObject([
      {
        ...{ event: "pull_request", type: "pull_request_sync" },
        payload: { action: "synchronized", pull_request: { head: { sha: third } } },
      },
    ]);
  });

  it("tells of a comment with the request and is_pull, whatever its branches are (semantics §27.7, §27.10-6)", async () => {
    const { forge, actor } = world;
    const { access, number } = await makeRequest({
      events: ["pull_request_comment"],
      branchFilter: "none/*",
    });
    const { id } = await createComment(forge, access, number, "First", actor);
    await world.runEvents();
    await editComment(forge, access, id, "Second", actor);
    await world.runEvents();
    await removeComment(forge, access, id, actor);
    const events = await world.deliver();
    expect(events.map(({ event, type }) => [event, type])).toEqual(
      Array(3).fill(["issue_comment", "pull_request_comment"]),
    );
    const byAction = Object.fromEntries(events.map(({ payload }) => [payload.action, payload]));
    expect(byAction.created).toMatchObject({
      ...{
        is_pull: true,
        issue: { number, pull_request: { merged: false } },
        comment: { id, body: "First" },
      },
      pull_request: { number, base: { ref: "main" } },
    });
    expect(byAction.edited).toMatchObject({ changes: { body: { from: "First" } } });
    expect(byAction.deleted).toMatchObject({ comment: { id } });
  });

  it("tells hooks of issues nothing, of labels of requests only those that asked for them, and of a lock nobody", async () => {
    const { forge, actor } = world;
    const { access, number } = await makeRequest({ events: ["issues"] });
    await editPull(forge, access, number, { title: "New" }, actor);
    await createComment(forge, access, number, "Hello", actor);
    expect(await told()).toEqual([]);
    const only = await makeRequest({ events: ["pull_request_label"] });
    const id = await labelIn(only.repository);
    await replaceIssueLabels(forge, only.access, only.number, [id], { actor });
    await lockIssue(forge, only.access, only.number, "Spam", actor);
    expect(await told()).toEqual([["pull_request", "pull_request_label", "label_updated"]]);
  });

  it("tells of reviews by their verdict with their text, and of requests for them with the asked users (semantics §27.3)", async () => {
    const { forge, actor, owner } = world;
    const { repository, number, second } = await makeRequest({ events: ["pull_request"] });
    await world.deliver();
    const given = { id: 1, reviewerId: owner.id, state: "approved", commitId: second, createdAt: 1 } as const;
    const bare = newReview({ repositoryId: repository.id, number }, given);
    const { review, writes: texts } = withText(bare, "Fine");
    const emit = async (action: ReviewAction, more: object = {}) => {
      const origin = { repositoryId: repository.id, actorId: actor.user.id, at: forge.clock.now() };
      const event = { ...origin, kind: "review" as const, action, index: number, reviewId: 1, ...more };
      const entry = outbox(forge, "repository-events", repositoryEvent(event));
      await forge.table.transact([put(review), ...texts, entry.write]);
      await send(forge, [entry]);
      const [{ event: group, type, payload } = expect.fail("nothing was told")] = await world.deliver();
      return [group, type, payload];
    };
    for (const [action, word, group] of [
      ["approved", "approved", "pull_request_approved"],
      ["rejected", "rejected", "pull_request_rejected"],
      ["comment", "comment", "pull_request_comment"],
    ] as const) {
      const type = `pull_request_review_${word}`;
      const shown = { action: "reviewed", review: { type, content: "Fine" }, requested_reviewer: null };
      expect(await emit(action)).toMatchObject([group, type, { ...shown, number, pull_request: { number } }]);
    }
    const type = "pull_request_review_request";
    expect(await emit("requested", { reviewerId: owner.id })).toMatchObject([
      ...["pull_request", type],
      { action: "review_requested", requested_reviewer: { login: "Olga" }, review: null },
    ]);
    expect(await emit("request_removed", { teamId: 5 })).toMatchObject([
      ...["pull_request", type],
      { action: "review_request_removed", requested_reviewer: null },
    ]);
  });

  it("tells of a merge: the push, and the request that is closed and merged by its commit (semantics §27.10-9)", async () => {
    const { access, number } = await makeRequest({ events: ["pull_request", "push"] });
    await world.deliver();
    await mergePull(world.forge, access, number, { style: "merge" }, world.actor);
    const events = await world.deliver();
    const byType = Object.fromEntries(events.map(({ type, payload }) => [type, payload]));
    expect(events.map(({ type }) => type).toSorted()).toEqual(["pull_request", "push"]);
    expect(byType.push).toMatchObject({ ref: "refs/heads/main" });
    expect(byType.pull_request).toMatchObject({
      ...{ action: "closed", number, commit_id: byType.push.after },
      pull_request: { state: "closed", merged: true, merge_commit_sha: byType.push.after },
    });
    expect(await checkRepository(world.forge, access.repository.id)).toEqual([]);
  });
});
