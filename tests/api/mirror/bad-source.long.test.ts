import dns from "node:dns/promises";
import { once } from "node:events";
import { rename } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRepository } from "#core/git/store/store";
import { listJobs } from "#core/jobs/job";
import { checkRepository } from "#core/lifecycle/check/check";
import { exists } from "#core/table/condition";
import { update } from "#core/table/write";
import { addCommits, ourRefs, realRemote, refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { whileWorking, workOnMirrors } from "#tests/support/mirror-work";

const mostPackBytes = 2 ** 20;
const secret = "s3cret-of-the-source";

let api: TestApi;
let alice: Caller;
let made = 0;

beforeAll(async () => {
  api = await makeApi({
    settings: {
      MIGRATION_ALLOWED_HOST_LIST: "127.0.0.1,127.0.0.9",
      MIGRATION_BLOCKED_HOST_LIST: "127.0.0.9",
      GIT_MAX_PACK_BYTES: String(mostPackBytes),
    },
  });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

/** Alice's mirror of a repository elsewhere, whose address names a user and a password. */
async function makeMirror() {
  const remote = await realRemote("sha1");
  await addCommits(remote.folder, "main", 2);
  const body = {
    clone_addr: remote.url.replace("http://", `http://someone:${secret}@`),
    repo_name: `mirror-${made++}`,
    mirror: true,
  };
  const { status, json } = await whileWorking(api, api.call("POST", "/repos/migrate", { as: alice, body }));
  expect(status).toBe(201);
  return { ...remote, id: json.id as number, path: `/repos/${json.full_name}` };
}

type Mirror = Awaited<ReturnType<typeof makeMirror>>;

/** Syncs; answers what the mirror says of it. */
async function synced({ path }: Mirror) {
  const { status } = await whileWorking(api, api.call("POST", `${path}/mirror-sync`, { as: alice }));
  expect(status).toBe(200);
  return (await api.call("GET", `${path}/migration`, { as: alice })).json;
}

async function refsOfOurs(id: number): Promise<string[]> {
  const opened = await openRepository(api.forge, id);
  if (opened === undefined) throw new Error("gone");
  return ourRefs(opened);
}

/** Puts another in the place of the source; answers what brings it back. */
function replaced(server: Server, listener: RequestListener): () => void {
  const former = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", listener);
  return () => {
    server.removeAllListeners("request");
    for (const one of former) server.on("request", one);
  };
}

describe("a source that goes wrong: the mirror keeps what it has, says why, and goes on once it is mended", () => {
  const answers: readonly [string, RequestListener, RegExp][] = [
    ["vanishes", (_request, response) => response.writeHead(404).end(), /no repository there/],
    [
      "asks for another password",
      (_request, response) => response.writeHead(401, { "www-authenticate": "Basic realm=x" }).end(),
      /401|credentials|password/i,
    ],
    [
      "redirects to a blocked address",
      (request, response) => response.writeHead(302, { location: `http://127.0.0.9:9${request.url}` }).end(),
      /127\.0\.0\.9/,
    ],
    [
      "redirects to file:",
      (_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
      /file:|http/,
    ],
    [
      "redirects to an address with a password of its own",
      (_request, response) =>
        response.writeHead(302, { location: "http://a:other-s3cret@127.0.0.9/x.git/info/refs" }).end(),
      /127\.0\.0\.9/,
    ],
    [
      "sends its words and the password back in an error",
      (request, response) => response.writeHead(500).end(request.headers.authorization),
      /500/,
    ],
    [
      "announces 10 GB in place of its refs",
      (_request, response) => {
        response.writeHead(200, {
          "content-type": "application/x-git-upload-pack-advertisement",
          "content-length": String(10 * 2 ** 30),
        });
        response.write("x".repeat(65_536));
      },
      /./,
    ],
  ];

  it.each(answers)("%s", async (_name, listener, message) => {
    const mirror = await makeMirror();
    const before = await refsOfOurs(mirror.id);
    const mend = replaced(mirror.server, listener);
    const failed = await synced(mirror);
    expect(failed).toMatchObject({ failures: 1, message: expect.stringMatching(message) });
    expect(JSON.stringify(failed)).not.toMatch(/s3cret/);
    expect(await refsOfOurs(mirror.id)).toEqual(before);
    mend();
    await addCommits(mirror.folder, "main", 1);
    expect(await synced(mirror)).toMatchObject({ failures: 0, message: "" });
    expect(await refsOfOurs(mirror.id)).toEqual(await refsOf(mirror.folder));
  });

  it("has a history of its own now: the mirror follows by force", async () => {
    const mirror = await makeMirror();
    await git(mirror.folder, ["update-ref", "-d", "refs/heads/main"]);
    await addCommits(mirror.folder, "main", 3);
    expect(await synced(mirror)).toMatchObject({ failures: 0, message: "" });
    expect(await refsOfOurs(mirror.id)).toEqual(await refsOf(mirror.folder));
    expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
  });

  it("is of the other object format now", async () => {
    const mirror = await makeMirror();
    const before = await refsOfOurs(mirror.id);
    const other = await realRemote("sha256");
    await addCommits(other.folder, "main", 1);
    await rename(mirror.folder, `${mirror.folder}-former`);
    await rename(other.folder, mirror.folder);
    expect(await synced(mirror)).toMatchObject({ failures: 1, message: expect.stringMatching(/sha256/) });
    expect(await refsOfOurs(mirror.id)).toEqual(before);
    expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
  });

  it("has more than a repository may hold: what came is thrown away", async () => {
    const mirror = await makeMirror();
    const before = await refsOfOurs(mirror.id);
    await addCommits(mirror.folder, "main", 3, mostPackBytes);
    expect(await synced(mirror)).toMatchObject({
      failures: 1,
      message: expect.stringMatching(/large|bytes/),
    });
    expect(await refsOfOurs(mirror.id)).toEqual(before);
    const staged: string[] = [];
    for await (const { key } of api.forge.blobs.list(`r/${mirror.id}/f/`)) staged.push(key);
    expect(staged).toEqual([]);
    expect(await checkRepository(api.forge, mirror.id)).toEqual([]);
  });

  it("hears nothing at a blocked address that it redirects to", async () => {
    let heard = 0;
    const inner = createServer((_request, response) => {
      heard += 1;
      response.end();
    }).listen(0, "127.0.0.9");
    await once(inner, "listening");
    const { port } = inner.address() as AddressInfo;
    const mirror = await makeMirror();
    replaced(mirror.server, (request, response) =>
      response.writeHead(302, { location: `http://127.0.0.9:${port}${request.url}` }).end(),
    );
    await synced(mirror);
    expect(heard).toBe(0);
    inner.close();
  });
});

/** Has host names resolve so while `work` goes on; answers the names that were asked for. */
async function whileResolving(answers: () => string, work: () => Promise<void>): Promise<string[]> {
  const former = dns.lookup;
  const asked: string[] = [];
  const lookup = async (host: string) => {
    asked.push(host);
    return [{ address: answers(), family: 4 }];
  };
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
  try {
    await work();
    return asked;
  } finally {
    Object.assign(dns, { lookup: former });
    syncBuiltinESMExports();
  }
}

describe("a source whose name resolves differently the second time", () => {
  it("is reached where it was checked: one answer for each request, and none at the blocked address (semantics §66)", async () => {
    let inside = 0;
    const remote = await realRemote("sha1");
    const { port } = remote.server.address() as AddressInfo;
    const inner = createServer((_request, response) => {
      inside += 1;
      response.end();
    }).listen(port, "127.0.0.9");
    await once(inner, "listening");
    await addCommits(remote.folder, "main", 2);
    let requests = 0;
    remote.server.prependListener("request", () => {
      requests += 1;
    });
    const body = {
      clone_addr: `http://rebinding.example:${port}/remote.git`,
      ...{ repo_name: "rebound", mirror: true },
    };
    let mirror: Mirror | undefined;
    const asked = await whileResolving(
      () => "127.0.0.1",
      async () => {
        const { status, json } = await whileWorking(
          api,
          api.call("POST", "/repos/migrate", { as: alice, body }),
        );
        expect(status).toBe(201);
        mirror = { ...remote, id: json.id, path: `/repos/${json.full_name}` };
      },
    );
    // A connection that asked once more would have asked more often than there were requests.
    expect(asked).toEqual(Array.from({ length: requests }, () => "rebinding.example"));
    if (mirror === undefined) throw new Error("no mirror");
    const before = await refsOfOurs(mirror.id);
    await addCommits(mirror.folder, "main", 1);
    let turn = 0;
    for (const answers of [() => "127.0.0.9", () => (turn++ % 2 === 0 ? "127.0.0.1" : "127.0.0.9")]) {
      let failed: Awaited<ReturnType<typeof synced>> | undefined;
      await whileResolving(answers, async () => {
        failed = mirror && (await synced(mirror));
      });
      expect(failed?.message).toMatch(/MIGRATION_BLOCKED_HOST_LIST/);
      expect(await refsOfOurs(mirror.id)).toEqual(before);
    }
    expect(inside).toBe(0);
    inner.close();
  });
});

describe("a copy elsewhere that redirects", () => {
  it.each(["http://127.0.0.9:9/x.git/info/refs?service=git-receive-pack", "file:///etc/passwd"])(
    "to %s gets nothing, and last_error says so",
    async (location) => {
      const mirror = await makeMirror();
      const copy = await realRemote("sha1");
      const bodies: string[] = [];
      replaced(copy.server, (request, response) => {
        bodies.push(`${request.method}`);
        response.writeHead(302, { location }).end();
      });
      const body = { remote_address: copy.url.replace("//", `//someone:${secret}@`), interval: "8h" };
      await api.call("POST", `${mirror.path}/push_mirrors`, { as: alice, body });
      const path = `${mirror.path}/push_mirrors-sync`;
      expect((await whileWorking(api, api.call("POST", path, { as: alice }))).status).toBe(200);
      const { json } = await api.call("GET", `${mirror.path}/push_mirrors`, { as: alice });
      expect(json[0].last_error).toMatch(/127\.0\.0\.9|file:|http/);
      expect([bodies, JSON.stringify(json).includes(secret)]).toEqual([["GET"], false]);
    },
  );
});

describe("credentials that were sealed with a key that is gone", () => {
  it("end the sync and the run with a reason, and keep no place", async () => {
    const mirror = await makeMirror();
    const body = { remote_address: mirror.url.replace("//", `//someone:${secret}@`), interval: "8h" };
    await api.call("POST", `${mirror.path}/push_mirrors`, { as: alice, body });
    for (const item of await api.forge.table.queryAll({ pk: `R#${mirror.id}` })) {
      if (item.credentials === undefined) continue;
      await api.forge.table.write(update(item, { set: { credentials: "of another key" } }, exists));
    }
    expect(await synced(mirror)).toMatchObject({
      failures: 1,
      message: expect.stringMatching(/credentials/),
    });
    const path = `${mirror.path}/push_mirrors-sync`;
    await whileWorking(api, api.call("POST", path, { as: alice }));
    const { json } = await api.call("GET", `${mirror.path}/push_mirrors`, { as: alice });
    expect(json[0].last_error).toMatch(/credentials/);
    expect((await listJobs(api.forge)).filter(({ queue }) => queue === "mirrors")).toEqual([]);
  });
});

describe("a token in the address of a source", () => {
  it("stands nowhere in the table and in no line of the log, whatever the source does", async () => {
    const mirror = await makeMirror();
    mirror.server.closeAllConnections();
    mirror.server.close();
    await once(mirror.server, "close");
    await synced(mirror);
    const items = await api.forge.table.queryAll({ pk: `R#${mirror.id}` });
    const forms = [secret, Buffer.from(`someone:${secret}`).toString("base64")];
    for (const form of forms) expect(JSON.stringify([items, api.logged])).not.toContain(form);
    for (const clone_addr of [
      `http://someone:${secret}@127.0.0.9/a.git`,
      `ftp://someone:${secret}@a.example/b`,
    ]) {
      const body = { clone_addr, repo_name: "never" };
      const refused = await whileWorking(api, api.call("POST", "/repos/migrate", { as: alice, body }));
      expect([refused.status, JSON.stringify(refused.json)]).toEqual([
        422,
        expect.not.stringContaining(secret),
      ]);
    }
    for (const form of forms) expect(JSON.stringify(api.logged)).not.toContain(form);
  });
});

describe("the queue of mirrors", () => {
  it("a poison message becomes a dead letter, and holds up none beside it", async () => {
    const mirror = await makeMirror();
    await addCommits(mirror.folder, "main", 1);
    const poison = [
      { kind: "job", eventId: "without-a-job" },
      { kind: "job", eventId: "of-no-text", jobId: { a: 1 } },
      { kind: "of-none", eventId: "of-no-kind" },
    ];
    await api.forge.queues.send("mirrors", poison as never);
    expect(await synced(mirror)).toMatchObject({ failures: 0, message: "" });
    expect(await refsOfOurs(mirror.id)).toEqual(await refsOf(mirror.folder));
    const client = api.queues.client();
    const text = { QueueUrl: api.queues.urls.mirrors, MessageBody: "no JSON" };
    await client.send(new SendMessageCommand(text));
    for (let delivery = 1; delivery <= 4; delivery += 1) await workOnMirrors(api);
    const deadUrl = `${api.queues.urls.mirrors}-dead-letters`;
    const received = await client.send(
      new ReceiveMessageCommand({ QueueUrl: deadUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
    );
    expect(received.Messages?.map(({ Body }) => Body)).toContain("no JSON");
    await client.send(
      new DeleteMessageCommand({
        QueueUrl: deadUrl,
        ReceiptHandle: received.Messages?.find(({ Body }) => Body === "no JSON")?.ReceiptHandle,
      }),
    );
    client.destroy();
    const dead = (await api.queues.takeDead("mirrors")).map(({ eventId }) => eventId);
    expect(dead.sort()).toEqual(poison.map(({ eventId }) => eventId).sort());
  });
});
