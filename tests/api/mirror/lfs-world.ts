import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { expect } from "vitest";
import { boundedIntake } from "#core/capacity/intake";
import { readLfsObject } from "#core/lfs/lfs";
import { type LfsObject, lfsObjectsOf } from "#core/lfs/lfs.table";
import { type LfsPointer, lfsPointerFile } from "#core/lfs/pointer";
import { openLfsUpload, storeLfsObject } from "#core/lfs/upload";
import { createSite } from "#infra/local/http/site";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { whileWorking, workOnMirrors } from "#tests/support/mirror-work";

/** The name of some content. */
export const pointerTo = (content: string | Buffer): LfsPointer => ({
  oid: createHash("sha256").update(content).digest("hex"),
  sizeBytes: Buffer.byteLength(content),
});

/** A server that a test answers for; it keeps what it was asked. */
export async function startRaw(answer: RequestListener, host = "127.0.0.1") {
  const asked: { line: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    asked,
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The whole service over real connections, which is a remote for itself. */
export class LfsMirrors {
  readonly api: TestApi;
  readonly alice: Caller;
  readonly origin: string;
  /** The requests that it was sent. */
  readonly asked: Awaited<ReturnType<typeof startRaw>>["asked"];
  readonly #stop: () => Promise<void>;
  #made = 0;

  constructor(api: TestApi, alice: Caller, server: Awaited<ReturnType<typeof startRaw>>) {
    this.api = api;
    this.alice = alice;
    this.origin = server.origin;
    this.asked = server.asked;
    this.#stop = server.stop;
  }

  async stop(): Promise<void> {
    await this.#stop();
    await this.api.stop();
  }

  /** The requests for contents and batches since the last call. */
  taken(): string[] {
    const lines = this.asked.splice(0).map(({ line }) => line);
    return lines.filter((line) => line.includes("/info/lfs/"));
  }

  /** A private repository of alice's whose files are pointers; those of `held` it has the objects of, too. */
  async makeSource(held: readonly (string | Buffer)[], missing: readonly LfsPointer[] = []) {
    this.#made += 1;
    const name = `source-${this.#made}`;
    const id = await makeRepository(this.api, this.alice, name, { private: true });
    const source = { id, name, url: `${this.origin}/alice/${name}.git` };
    await this.add(source, held, missing);
    return source;
  }

  /** Gives a repository objects, and a commit that names them. */
  async add(
    { id, name }: { id: number; name: string },
    held: readonly (string | Buffer)[],
    missing: readonly LfsPointer[] = [],
  ): Promise<void> {
    for (const content of held) await this.store(id, content);
    const pointers = [...held.map(pointerTo), ...missing];
    const files = Object.fromEntries(
      pointers.map((pointer) => [`${pointer.oid}.bin`, lfsPointerFile(pointer)]),
    );
    await pushFiles(this.api, this.alice, name, { files });
  }

  async store(id: number, content: string | Buffer): Promise<void> {
    const uploadId = await openLfsUpload(this.api.forge, id);
    async function* bytes() {
      yield Buffer.from(content);
    }
    await storeLfsObject(this.api.forge, id, { ...pointerTo(content), uploadId }, bytes());
  }

  /** Brings a repository over as its owner; answers it, and what its state says. */
  async bring(clone_addr: string, options: object = {}) {
    this.#made += 1;
    const { alice, api } = this;
    const body = {
      ...{ clone_addr, repo_name: `brought-${this.#made}`, lfs: true },
      ...{ auth_username: "alice", auth_password: alice.token, ...options },
    };
    const { status, json } = await whileWorking(api, api.call("POST", "/repos/migrate", { as: alice, body }));
    expect([status, json.message]).toEqual([201, undefined]);
    const path = `/repos/${json.full_name}`;
    return { id: json.id as number, path, name: json.name as string, state: await this.stateOf(path) };
  }

  async sync({ path }: { readonly path: string }) {
    const { alice, api } = this;
    const { status } = await whileWorking(api, api.call("POST", `${path}/mirror-sync`, { as: alice }));
    expect(status).toBe(200);
    return this.stateOf(path);
  }

  /** Makes an ordinary repository of a mirror. */
  async convert({ path }: { readonly path: string }): Promise<void> {
    const { status } = await this.api.call("POST", `${path}/convert`, { as: this.alice });
    expect(status).toBe(200);
    await workOnMirrors(this.api);
  }

  async stateOf(path: string) {
    return (await this.api.call("GET", `${path}/migration`, { as: this.alice })).json;
  }

  /** Everything in the partition of a repository's objects that is none. */
  async leftOver(id: number): Promise<string[]> {
    const items = await this.api.forge.table.queryAll({ pk: lfsObjectsOf(id).pk });
    return items.map(({ sk }) => sk).filter((sk) => !sk.startsWith(lfsObjectsOf(id).prefix));
  }

  /** The names of a repository's objects, in order. */
  async oids(id: number): Promise<string[]> {
    const items = await this.api.forge.table.queryAll<LfsObject>(lfsObjectsOf(id));
    return items.map(({ oid }) => oid).sort();
  }

  /** The SHA-256 of the contents of a repository's objects, in order; of all, or of those with these names. */
  async contents(id: number, oids?: readonly string[]): Promise<string[]> {
    const all = await this.api.forge.table.queryAll<LfsObject>(lfsObjectsOf(id));
    const items = all.filter(({ oid }) => oids === undefined || oids.includes(oid));
    const read = items.map(async (object) => {
      const hash = createHash("sha256");
      for await (const piece of readLfsObject(this.api.forge, object)) hash.update(piece);
      return hash.digest("hex");
    });
    return (await Promise.all(read)).sort();
  }
}

export async function startLfsMirrors(settings: Readonly<Record<string, string>> = {}): Promise<LfsMirrors> {
  let listener: RequestListener | undefined;
  const server = await startRaw((request, response) => listener?.(request, response));
  const api = await makeApi({
    settings: { ROOT_URL: server.origin, MIGRATION_ALLOWED_HOST_LIST: "127.0.0.1,127.0.0.2", ...settings },
  });
  listener = getRequestListener(createSite(api.forge, boundedIntake(api.forge.config)).fetch);
  return new LfsMirrors(api, await api.makeUser({ name: "alice" }), server);
}

/** The SHA-256 of some contents, as `contents` has them. */
export const hashesOf = (contents: readonly (string | Buffer)[]): string[] =>
  contents.map((content) => pointerTo(content).oid).sort();
