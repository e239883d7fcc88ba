import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBlock, removeBlock } from "#core/block/block";
import { entryPrefix, type TimelineEntry } from "#core/comment/comment.table";
import { followPush } from "#core/commit-reference/commit-reference";
import { readConfig } from "#core/config";
import { defined } from "#core/defined";
import { createDependency } from "#core/dependency/dependency";
import type { QueueMessage } from "#core/events/queue-message";
import { readPushedRefs } from "#core/git/store/refs/pushed-refs";
import { editIssue } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { type Issue, issueKey, issuePartition } from "#core/issue/issue.table";
import type { NewIssue } from "#core/issue/new-issue";
import type { Repository } from "#core/repository/repository.table";
import { createToken } from "#core/token/token";
import { createUser } from "#core/user/create";
import type { User } from "#core/user/user.table";
import { createApi } from "#functions/api/app";
import type { EventOf } from "#functions/workers/event-shapes";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { SimulatedCrash } from "#tests/support/faults";
import { measured } from "#tests/support/measured";
import { setIssue, setRepository } from "#tests/support/set-listed";
import { type HookWorld, makeHookWorld, type PlannedCommit } from "./hook-world.ts";

let world: HookWorld;
let other: User;
let repository: Repository;
let app: ReturnType<typeof createApi>;
const main = "refs/heads/main";
const side = "refs/heads/side";

beforeAll(async () => {
  world = await makeHookWorld();
  const account = { name: "otto", email: "otto@example.com", password: "correct-horse-9" };
  other = await createUser(world.forge, account);
  app = createApi({ forge: world.forge });
});
beforeEach(async () => {
  repository = await world.makeRepository();
  for (const title of ["one", "two", "three"]) await open(title);
  tips.clear();
  await push(["first"]);
  await world.runEvents();
});
afterAll(() => world.stop());

const open = (title: string, actor = world.actor, given: Partial<NewIssue> = {}) =>
  createIssue(world.forge, world.accessTo(repository), { title, ...given }, actor);
const issue = async (number: number) =>
  (await world.forge.table.get<Issue>(issueKey(repository.id, number))) as Issue;
const timeline = async (number: number) => {
  const path = `/api/v1/repos/Olga/${repository.name}/issues/${number}/timeline`;
  return (await app.request(path)).json() as Promise<Record<string, unknown>[]>;
};
const stored = (number: number) =>
  world.forge.table.queryAll<TimelineEntry>({
    pk: issuePartition(repository.id, number),
    prefix: entryPrefix,
  });
const types = async (number: number) => (await timeline(number)).map(({ type }) => type);

const tips = new Map<string, string>();
/** Pushes commits with these messages to a branch; a new one begins at the default branch. */
async function push(messages: readonly string[], name = main): Promise<string[]> {
  const parent = tips.get(name) ?? tips.get(main);
  const commits = messages.map(
    (message, at): PlannedCommit => ({
      files: { a: `${message} ${at} ${parent}` },
      message,
      seconds: 1_700_000_000 + tips.size * 100 + at,
      ...(at === 0 && parent !== undefined ? { parents: [parent] } : {}),
    }),
  );
  const ids = await world.push(repository, commits, (made) => [moved(name, made.at(-1))]);
  tips.set(name, ids.at(-1) ?? "");
  return ids;
}
const moved = (name: string, id = "") => {
  const old = tips.get(name);
  return { name, new: id, ...defined({ old }) };
};
/** Moves a branch to what was pushed before. */
const move = (name: string, id: string) => world.push(repository, [], () => [moved(name, id)]);
/** The message that tells of the last push, taken off the queue. */
async function pushMessage(): Promise<QueueMessage> {
  const messages = await world.test.queues.take("repository-events");
  return messages.findLast(({ kind }) => kind === "push") ?? { kind: "none" };
}
async function work(message: QueueMessage): Promise<void> {
  const attributes = { ApproximateReceiveCount: "1" };
  const record = { messageId: "m", receiptHandle: "r", attributes, body: JSON.stringify(message) };
  await repositoryEventsWorker(world.forge, { Records: [record] } as never);
}
async function lastPush(message: string): Promise<QueueMessage> {
  await push([message]);
  return pushMessage();
}
/** A push as though this user had pushed it. */
async function pushAs(user: User, message: string): Promise<void> {
  await work({ ...(await lastPush(message)), actorId: user.id });
}

/** A repository that is made while DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH has this value. */
async function madeWith(value: string): Promise<Repository> {
  const { config } = world.forge;
  const { defaultCloseIssuesInAnyBranch } = readConfig({
    DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH: value,
  });
  Object.assign(world.forge, { config: { ...config, defaultCloseIssuesInAnyBranch } });
  const made = await world.makeRepository();
  Object.assign(world.forge, { config });
  return made;
}

describe("a push (semantics §20.4)", () => {
  it("to the default branch closes what a commit closes, after the entry of the commit", async () => {
    const [id] = await push(["Closes #1, see #2 <b>\n\nbody"]);
    await world.runEvents();
    const href = `http://127.0.0.1:3000/Olga/${repository.name}/commit/${id}`;
    const told = { type: "commit_ref", ref_commit_sha: id, user: { login: "Olga" } };
    const body = `<a href="${href}">Closes #1, see #2 &lt;b&gt;</a>`;
    expect(await timeline(1)).toMatchObject([
      { ...told, body, ref_action: "", ref_issue: null },
      { type: "close", ref_commit_sha: id, body: "" },
    ]);
    expect(await timeline(2)).toMatchObject([{ ...told, body }]);
    expect([(await issue(1)).isClosed, (await issue(2)).isClosed]).toEqual([true, false]);
  });

  it("to another branch only tells of the commit; once it comes to the default branch, it closes", async () => {
    const [id = ""] = await push(["fixes: #1"], side);
    await world.runEvents();
    expect([await types(1), (await issue(1)).isClosed]).toEqual([["commit_ref"], false]);
    await move(main, id);
    await world.runEvents();
    expect(await types(1)).toEqual(["commit_ref", "close"]);
  });

  it("to any branch closes where the repository was made so, whatever branch the issue names (semantics §31)", async () => {
    repository = await madeWith("true");
    for (const title of ["one", "two"]) await open(title);
    tips.clear();
    await push(["first"]);
    await editIssue(world.forge, world.accessTo(repository), 2, { ref: "refs/heads/v2" }, world.actor);
    const [id = ""] = await push(["fixes: #1, closes #2"], side);
    await world.runEvents();
    for (const number of [1, 2]) {
      const last = (await types(number)).slice(-2);
      expect([last, (await issue(number)).isClosed]).toEqual([["commit_ref", "close"], true]);
    }
    await editIssue(world.forge, world.accessTo(repository), 1, { isClosed: false }, world.actor);
    await move(main, id);
    await world.runEvents();
    expect((await issue(1)).isClosed).toBe(false);
  });

  it("DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH says so of repositories that are made while it is set", async () => {
    const [before, during] = [repository, await madeWith("true")];
    expect((await madeWith("false")).closesIssuesInAnyBranch).toBeUndefined();
    expect([before.closesIssuesInAnyBranch, during.closesIssuesInAnyBranch]).toEqual([undefined, true]);
  });

  it("reopens, oldest commit first; each reference needs its own keyword", async () => {
    await push(["close #1 #2", "reopens #1"]);
    await world.runEvents();
    expect(await types(1)).toEqual(["commit_ref", "close", "commit_ref", "reopen"]);
    expect([(await issue(1)).isClosed, (await issue(2)).isClosed]).toEqual([false, false]);
  });

  it("to the branch that an issue names closes it, the default branch does not then", async () => {
    await editIssue(world.forge, world.accessTo(repository), 1, { ref: "refs/heads/v2" }, world.actor);
    await editIssue(world.forge, world.accessTo(repository), 2, { ref: "main" }, world.actor);
    await push(["closes #1, closes #2"]);
    await world.runEvents();
    expect([(await issue(1)).isClosed, (await issue(2)).isClosed]).toEqual([false, true]);
  });

  it("of a new branch tells of its last ten commits", async () => {
    const messages = Array.from({ length: 12 }, (_, at) => `${at} ${at < 2 ? "#1" : at === 2 ? "#2" : ""}`);
    await push(messages, side);
    await world.runEvents();
    expect([await types(1), await types(2)]).toEqual([[], ["commit_ref"]]);
  });

  it("books the time that stands behind a closing reference: a day has eight hours, a week five days", async () => {
    await push(["closes #1 @1h30m, fixes #2: @1d\n", "see #3 @5h closes #3 @1w2d."]);
    await world.runEvents();
    const time = ({ tracked_time }: Record<string, unknown>) =>
      (tracked_time as { time: number } | null)?.time ?? 0;
    expect(await types(1)).toEqual(["commit_ref", "add_time_manual", "close"]);
    const booked = await Promise.all([1, 2, 3].map(async (number) => (await timeline(number)).map(time)));
    expect(booked).toEqual([
      [0, 5_400, 0],
      [0, 0],
      [0, 7 * 8 * 3_600, 0],
    ]);
  });

  it("leaves open what waits for open issues, and what is closed already closed", async () => {
    const access = world.accessTo(repository);
    await createDependency(world.forge, world.actor, { access, number: 1 }, { access, number: 2 });
    await editIssue(world.forge, access, 3, { isClosed: true }, world.actor);
    await push(["closes #1 closes #3"]);
    await world.runEvents();
    expect((await issue(1)).isClosed).toBe(false);
    expect(await types(3)).toEqual(["close", "commit_ref"]);
  });

  it("of the same message twice, and of the same commits again, tells once", async () => {
    const [id = ""] = await push(["closes #1"]);
    const message = await pushMessage();
    await work(message);
    await editIssue(world.forge, world.accessTo(repository), 1, { isClosed: false }, world.actor);
    await work({ ...message, eventId: "another" });
    await move(side, id);
    await world.runEvents();
    expect(await types(1)).toEqual(["commit_ref", "close", "reopen"]);
  });

  it("of commits that name nothing takes two requests to the table, beside the one for the log", async () => {
    await push(["nothing", "a#1"]);
    const { repositoryId, actorId, version } = (await pushMessage()) as never as EventOf<"push">;
    const changes = await readPushedRefs(world.forge.table, repositoryId, version);
    const { usage } = await measured(() => followPush(world.forge, { repositoryId, actorId, changes }));
    expect(usage.tableRequests).toBe(2);
  });

  it("is told of once, wherever the worker is killed", async () => {
    await push(["closes #1 @2h, see #2", "reopens #1, #2"]);
    const message = await pushMessage();
    for (let write = 1; ; write += 1) {
      world.test.faults.crashAt(write, write % 2 === 0 ? "before" : "after");
      await work(message).catch((error: unknown) => {
        if (!(error instanceof SimulatedCrash)) throw error;
      });
      const { hasCrashed } = world.test.faults;
      world.test.faults.recover();
      world.test.clock.advance(120_000);
      if (!hasCrashed) break;
    }
    await work({ ...message, eventId: "another" });
    expect(await types(1)).toEqual(["commit_ref", "add_time_manual", "close", "commit_ref", "reopen"]);
    expect(await types(2)).toEqual(["commit_ref", "commit_ref"]);
  });
});

describe("a push by somebody else", () => {
  it("closes the pusher's own issues; of others only tells, unless the pusher may write them", async () => {
    await open("theirs", { user: other });
    await pushAs(other, "closes #1 @1h, closes #4");
    expect([await types(1), await types(4)]).toEqual([["commit_ref"], ["commit_ref", "close"]]);
  });

  it("tells nothing where the pusher may not comment: locked, blocked, hidden, archived, nobody any more", async () => {
    await setIssue(world.forge, repository.id, 1, { isLocked: true });
    await pushAs(other, "see #1");
    await createBlock(world.forge, world.owner, other);
    await pushAs(other, "see #2");
    await removeBlock(world.forge, world.owner.id, other.id);
    for (const hiding of [{ isPrivate: true }, { isArchived: true }]) {
      const message = await lastPush("see #3");
      await setRepository(world.forge, repository.id, hiding);
      await work({ ...message, actorId: other.id });
      await setRepository(world.forge, repository.id, { isPrivate: false, isArchived: false });
    }
    await work({ ...(await lastPush("see #3")), actorId: 99_999 });
    expect([await types(1), await types(2), await types(3)]).toEqual([[], [], []]);
  });

  it("into another repository: by rights there; who may not read the code here does not see it there", async () => {
    const target = repository;
    repository = await world.makeRepository();
    tips.clear();
    await setRepository(world.forge, repository.id, { isPrivate: true });
    await push([`closes olga/${target.name}#1`, `see OLGA/${target.name}#2 and olga/absent#1 #1`]);
    await world.runEvents();
    repository = target;
    expect(await timeline(1)).toMatchObject([{ type: "close", ref_commit_sha: "" }]);
    expect(await timeline(2)).toEqual([]);
    expect((await stored(2)).map(({ type }) => type)).toEqual(["commit_ref"]);
  });
});

describe("a push with a token that is limited to what is public", () => {
  it("tells and closes nothing in a private repository, though its user could", async () => {
    const target = repository;
    repository = await world.makeRepository();
    await setRepository(world.forge, target.id, { isPrivate: true });
    const granted = { name: repository.name, scopes: ["all", "public-only"] };
    const { text: token } = await createToken(world.forge, world.owner, granted);
    const push = async (path: string, headers: Record<string, string>) => {
      const body = JSON.stringify({ content: "", message: `closes olga/${target.name}#1` });
      const made = await app.request(`/api/v1/repos/Olga/${repository.name}/contents/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      expect(made.status).toBe(201);
      await world.runEvents();
      repository = target;
      const told = (await stored(1)).map(({ type }) => type);
      return [told, (await issue(1)).isClosed];
    };
    const place = repository;
    expect(await push("a", { authorization: `token ${token}` })).toEqual([[], false]);
    repository = place;
    const password = Buffer.from("Olga:correct-horse-9").toString("base64");
    expect(await push("b", { authorization: `Basic ${password}` })).toEqual([["commit_ref", "close"], true]);
  });
});

describe("a push with more than is told of", () => {
  it("is cut: 50 issues of a commit", async () => {
    const absent = Array.from({ length: 49 }, (_, at) => `#${at + 100}`);
    await push([[...absent, "#1", "#2"].join(" ")]);
    await world.runEvents();
    expect([await types(1), await types(2)]).toEqual([["commit_ref"], []]);
  });
});
