import { afterAll, beforeAll, beforeEach } from "vitest";
import { entryPrefix, type TimelineEntry } from "#core/comment/comment.table";
import { defined } from "#core/defined";
import type { QueueMessage } from "#core/events/queue-message";
import { createIssue } from "#core/issue/issue";
import { type Issue, issueKey, issuePartition } from "#core/issue/issue.table";
import type { NewIssue } from "#core/issue/new-issue";
import type { Repository } from "#core/repository/repository.table";
import { createUser } from "#core/user/create";
import type { User } from "#core/user/user.table";
import { createApi } from "#functions/api/app";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type HookWorld, makeHookWorld, type PlannedCommit } from "./hook-world.ts";

export const main = "refs/heads/main";
export const side = "refs/heads/side";

/** A place where pushes name issues: for each test a repository of Olga's with three issues and one commit. */
export function issuesPlace() {
  let world: HookWorld;
  let other: User;
  let repository: Repository;
  let app: ReturnType<typeof createApi>;
  const tips = new Map<string, string>();

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

  return {
    get world() {
      return world;
    },
    get other() {
      return other;
    },
    get app() {
      return app;
    },
    get repository() {
      return repository;
    },
    set repository(one) {
      repository = one;
    },
    ...{ tips, open, issue, timeline, stored, types, push, move, pushMessage, work, lastPush, pushAs },
  };
}
