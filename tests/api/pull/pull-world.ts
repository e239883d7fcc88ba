import type { QueueMessage } from "#core/events/queue-message";
import { issueKey } from "#core/issue/issue.table";
import { mergedHeadWrites } from "#core/pull/head/merged-head";
import type { PullRequest } from "#core/pull/pull.table";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

/** Requests between branches, through the API, and the worker behind it. */
export interface PullWorld {
  readonly api: TestApi;
  readonly alice: Caller;
  /** A repository of alice's with a README on `main`; its path. */
  makeRepository(name: string, more?: object): Promise<string>;
  /** Writes a file on a branch, which is made from another when it is missing; answers the commit. */
  commitOn(repository: string, branch: string, from?: string, as?: Caller): Promise<string>;
  /** Opens a request from head into base; its number. */
  open(repository: string, head: string, base: string, as?: Caller): Promise<number>;
  /** A new repository with the requests 1: feature → main and 2: child → feature. */
  twoRequests(name: string): Promise<string>;
  show(
    repository: string,
    number: number,
  ): Promise<{ state: string; base: string; head: string; sha: string }>;
  /** The types of a request's timeline, with the branches that an entry names. */
  timeline(repository: string, number: number): Promise<string[]>;
  removeBranch(repository: string, branch: string): Promise<void>;
  /** Notes that a request was merged, without a merge, and closes it. */
  markMerged(repository: string, number: number): Promise<void>;
  /** Lets the worker work on what is queued, until nothing is left. */
  runEvents(): Promise<void>;
  /** Takes what is queued; answers the last message about a push. */
  takePush(): Promise<QueueMessage>;
  /** Lets the worker work on one message. */
  work(message: QueueMessage): Promise<void>;
}

/** Starts a world with an owner, alice. `simulation`: as of `makeApi`. */
export async function makePullWorld(
  settings: Readonly<Record<string, string>> = {},
  more: Pick<NonNullable<Parameters<typeof makeApi>[0]>, "simulation"> = {},
): Promise<PullWorld> {
  const api = await makeApi({ settings, ...more });
  const alice = await api.makeUser({ name: "alice" });
  const path = (branch: string) => encodeURIComponent(branch);
  let files = 0;
  const get = async (address: string) => (await api.call("GET", address, { as: alice })).json;
  const world: PullWorld = {
    api,
    alice,
    async makeRepository(name, more = {}) {
      await api.call("POST", "/user/repos", { as: alice, body: { name, auto_init: true, ...more } });
      return `/repos/alice/${name}`;
    },
    async commitOn(repository, branch, from = "main", as = alice) {
      const known = await api.call("GET", `${repository}/branches/${path(branch)}`, { as });
      const where = known.status === 200 ? { branch } : { branch: from, new_branch: branch };
      files += 1;
      const body = {
        content: Buffer.from(`${files}\n`).toString("base64"),
        message: `Write ${files}`,
        ...where,
      };
      const { json } = await api.call("POST", `${repository}/contents/file-${files}`, { as, body });
      return json.commit.sha;
    },
    async open(repository, head, base, as = alice) {
      const body = { title: `${head} into ${base}`, head, base };
      const { json } = await api.call("POST", `${repository}/pulls`, { as, body });
      return json.number;
    },
    async twoRequests(name) {
      const repository = await world.makeRepository(name);
      await world.commitOn(repository, "feature");
      await world.commitOn(repository, "child", "feature");
      await world.open(repository, "feature", "main");
      await world.open(repository, "child", "feature");
      return repository;
    },
    async show(repository, number) {
      const { state, base, head } = await get(`${repository}/pulls/${number}`);
      return { state, base: base.ref, head: head.ref, sha: head.sha };
    },
    async timeline(repository, number) {
      const entries: { type: string; old_ref: string; new_ref: string; user: { login: string } }[] =
        await get(`${repository}/issues/${number}/timeline`);
      return entries.map(({ type, old_ref, new_ref }) =>
        type === "change_target_branch" ? `${type} ${old_ref} ${new_ref}` : type,
      );
    },
    async removeBranch(repository, branch) {
      const { status } = await api.call("DELETE", `${repository}/branches/${path(branch)}`, { as: alice });
      if (status !== 204) throw new Error(`the branch was not deleted: ${status}`);
    },
    async markMerged(repository, number) {
      const { id } = await get(repository);
      const pull = await api.forge.table.get<PullRequest>(issueKey(id, number));
      for (const write of pull === undefined ? [] : mergedHeadWrites(pull))
        await api.forge.table.write(write);
      await api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { state: "closed" } });
    },
    async runEvents() {
      for (let done = 1; done > 0; ) {
        ({ done } = await api.queues.drain("repository-events", (event) =>
          repositoryEventsWorker(api.forge, event),
        ));
      }
    },
    async takePush() {
      const messages = await api.queues.take("repository-events");
      const message = messages.findLast(({ kind }) => kind === "push");
      if (message === undefined) throw new Error("no push is queued");
      return message;
    },
    async work(message) {
      const attributes = { ApproximateReceiveCount: "1" };
      const record = { messageId: "m", receiptHandle: "r", attributes, body: JSON.stringify(message) };
      await repositoryEventsWorker(api.forge, { Records: [record] } as never);
    },
  };
  return world;
}
