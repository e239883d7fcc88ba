import type { SQSEvent } from "aws-lambda";
import { accessMode } from "#core/access/modes";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { serializeCommit } from "#core/git/format/commit";
import { type ObjectFormat, type ObjectId, objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { entryPath, fileMode, serializeTree } from "#core/git/format/tree";
import { createPack } from "#core/git/pack/create-pack";
import type { RefChange } from "#core/git/refs/check-changes";
import type { Delivery } from "#core/hook/delivery.table";
import { listDeliveries } from "#core/hook/history";
import { createHook, type HookSettings } from "#core/hook/hook";
import type { Hook } from "#core/hook/hook.table";
import { createRepository } from "#core/repository/create";
import { pushToRepository } from "#core/repository/push";
import type { Repository } from "#core/repository/repository.table";
import { createUser } from "#core/user/create";
import type { User } from "#core/user/user.table";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { webhookWorker } from "#functions/workers/webhooks";
import { makeForge, type TestForge, type TestForgeOptions } from "#tests/support/forge";
import { type Receiver, startReceiver } from "#tests/support/servers/receiver";

/** A commit that a test pushes: what its tree holds, and what it stands on: the one before it when not told. */
export interface PlannedCommit {
  readonly files: Readonly<Record<string, string>>;
  readonly parents?: readonly ObjectId[];
  readonly message?: string;
  /** Seconds since the epoch. */
  readonly seconds?: number;
}

/** Forge, receiver and the two workers between them, with one user who owns everything. */
export interface HookWorld {
  readonly test: TestForge;
  readonly forge: Forge;
  readonly receiver: Receiver;
  readonly owner: User;
  readonly actor: Actor;
  /** Pauses in seconds that messages were sent with; the queue hands them out at once. */
  readonly delays: number[];
  makeRepository(format?: ObjectFormat): Promise<Repository>;
  accessTo(repository: Repository): RepositoryAccess;
  /** An active hook for everything that posts to the receiver. */
  makeHook(repository: Repository, settings?: Partial<HookSettings>): Promise<Hook>;
  /** Pushes commits and moves refs; answers the commits' ids. */
  push(
    repository: Repository,
    commits: readonly PlannedCommit[],
    move: (ids: ObjectId[]) => RefChange[],
  ): Promise<ObjectId[]>;
  /** Lets the event worker work on what is queued, once. */
  runEvents(): Promise<{ done: number; failed: number }>;
  /** Lets the webhook worker work on what is queued, until nothing is left. */
  runDeliveries(): Promise<{ done: number; failed: number }>;
  /** Runs both workers; answers the receiver's events since the last call, payloads parsed. */
  deliver(): Promise<ReceivedEvent[]>;
  deliveriesOf(hook: Hook): Promise<readonly Delivery[]>;
  stop(): Promise<void>;
}

/** A delivery as the receiver saw it. */
export interface ReceivedEvent {
  readonly event: string;
  readonly type: string;
  readonly id: string;
  readonly path: string;
  readonly payload: ReturnType<typeof JSON.parse>;
}

const everyEvent = ["push", "create", "delete", "issues", "repository"];

/** Starts a world whose settings permit deliveries on loopback, unless told otherwise. */
export async function makeHookWorld(options: TestForgeOptions = {}): Promise<HookWorld> {
  const settings = { WEBHOOK_ALLOWED_HOST_LIST: "loopback", ...options.settings };
  const test = await makeForge({ ...options, settings });
  const delays: number[] = [];
  const queues: Forge["queues"] = {
    ...test.forge.queues,
    async send(queue, messages, { delaySeconds = 0 } = {}) {
      if (queue === "webhooks") delays.push(...messages.map(() => delaySeconds));
      await test.forge.queues.send(queue, messages);
    },
  };
  const forge: Forge = { ...test.forge, queues };
  const receiver = await startReceiver();
  const owner = await createUser(forge, {
    name: "Olga",
    fullName: "Olga Owner",
    email: "olga@example.com",
    password: "correct-horse-9",
  });
  return world({ test, forge, receiver, owner, actor: { user: owner }, delays });
}

type Base = Pick<HookWorld, "test" | "forge" | "receiver" | "owner" | "actor" | "delays">;

function world(base: Base): HookWorld {
  const { test, forge, receiver, owner, actor } = base;
  let made = 0;
  let seen = 0;
  const run = async (queue: "repository-events" | "webhooks") => {
    const worker = queue === "webhooks" ? webhookWorker : repositoryEventsWorker;
    return test.queues.drain(queue, (event: SQSEvent) => worker(forge, event));
  };
  const self: HookWorld = {
    ...base,
    makeRepository(format = "sha1") {
      made += 1;
      return createRepository(forge, actor, owner, { name: `repository-${made}`, objectFormat: format });
    },
    accessTo: (repository) => ({
      repository,
      owner,
      rights: { base: accessMode.owner, enabledUnits: new Set(repository.units) },
    }),
    makeHook: ({ id }, given = {}) =>
      createHook(
        forge,
        { kind: "repository", id },
        {
          type: "forgejo",
          url: receiver.url,
          contentType: "json",
          secret: "s",
          events: everyEvent,
          isActive: true,
          ...given,
        },
      ),
    push: (repository, commits, move) => push(base, repository, commits, move),
    runEvents: () => run("repository-events"),
    runDeliveries: () => run("webhooks"),
    async deliver() {
      await self.runEvents();
      await self.runDeliveries();
      const fresh = receiver.requests.slice(seen);
      seen = receiver.requests.length;
      return fresh.map(({ headers, body, path }) => ({
        event: String(headers["x-forgejo-event"]),
        type: String(headers["x-forgejo-event-type"]),
        id: String(headers["x-forgejo-delivery"]),
        path,
        payload: JSON.parse(new URLSearchParams(body).get("payload") ?? body),
      }));
    },
    deliveriesOf: async (hook) => (await listDeliveries(forge, hook.id, { limit: 30 })).deliveries,
    async stop() {
      await receiver.close();
      await test.stop();
    },
  };
  return self;
}

async function push(
  { forge, actor, owner }: Base,
  repository: Repository,
  commits: readonly PlannedCommit[],
  move: (ids: ObjectId[]) => RefChange[],
): Promise<ObjectId[]> {
  const { objectFormat } = repository;
  const built: { id: ObjectId; objects: GitObject[] }[] = [];
  for (const commit of commits) {
    const before = built.at(-1)?.id;
    const parents = commit.parents ?? (before === undefined ? [] : [before]);
    built.push(commitObjects(objectFormat, owner, { ...commit, parents }));
  }
  const ids = built.map((one) => one.id);
  const {
    pack,
    side,
    ids: packed,
  } = createPack(
    objectFormat,
    built.flatMap(({ objects }) => objects),
  );
  const byId = new Map(
    built.flatMap(({ objects }) => objects).map((object) => [idOf(objectFormat, object), object]),
  );
  const outcome = await pushToRepository(forge, repository, actor, {
    changes: move(ids),
    ...(commits.length === 0
      ? {}
      : {
          pack: {
            packBytes: pack.length,
            objects: packed.length,
            side,
            content: pack,
            read: async (wanted: ObjectId) => byId.get(wanted),
            refersTo: () => false,
          },
        }),
  });
  const refused =
    outcome.kind === "done" ? outcome.results.filter((one) => one.refusal !== undefined) : [outcome];
  if (refused.length > 0) throw new Error(`the push failed: ${JSON.stringify(refused)}`);
  return ids;
}

const idOf = (format: ObjectFormat, { type, data }: GitObject): ObjectId => objectIdOf(format, type, data);

function commitObjects(
  format: ObjectFormat,
  author: User,
  planned: PlannedCommit,
): { id: ObjectId; objects: GitObject[] } {
  const blobs = Object.entries(planned.files).map(([name, text]) => {
    const blob: GitObject = { type: "blob", data: Buffer.from(text) };
    return { blob, entry: { mode: fileMode, path: entryPath(name), id: idOf(format, blob) } };
  });
  const tree: GitObject = { type: "tree", data: serializeTree(blobs.map(({ entry }) => entry)) };
  const identity = {
    name: author.fullName,
    email: author.email,
    seconds: planned.seconds ?? 1_700_000_000,
    timezone: "+0200",
  };
  const commit: GitObject = {
    type: "commit",
    data: serializeCommit({
      tree: idOf(format, tree),
      parents: [...(planned.parents ?? [])],
      author: identity,
      committer: identity,
      extraHeaders: [],
      message: Buffer.from(planned.message ?? "A commit\n"),
    }),
  };
  return { id: idOf(format, commit), objects: [commit, tree, ...blobs.map(({ blob }) => blob)] };
}
