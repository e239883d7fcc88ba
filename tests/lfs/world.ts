import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { expect } from "vitest";
import { type LfsObject, lfsObjectsOf } from "#core/lfs/lfs.table";
import { besideGit } from "#functions/files/beside-git";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";

export const lfsType = "application/vnd.git-lfs+json";

/** An object as clients name it. */
export interface Named {
  readonly oid: string;
  readonly size: number;
}

/** The name of some content. */
export const named = (content: string | Uint8Array): Named => ({
  oid: createHash("sha256").update(content).digest("hex"),
  size: Buffer.byteLength(content),
});

/** An answer of the LFS server. */
export interface LfsAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonValue;
}

export interface Asking {
  readonly as?: Caller | "nobody" | undefined;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array | ReadableStream;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The place of tests of Git LFS: two users, and for each test a repository of the first. */
export class LfsWorld {
  readonly api: TestApi;
  readonly site: Hono;
  readonly alice: Caller;
  readonly bob: Caller;
  name = "";
  id = 0;
  #made = 0;

  constructor(api: TestApi, [alice, bob]: readonly [Caller, Caller]) {
    this.api = api;
    const { forge } = api;
    this.site = besideGit(createGitApp({ forge, resolve: createGitResolver(forge) }), forge);
    this.alice = alice;
    this.bob = bob;
  }

  async begin(options: object = {}): Promise<void> {
    this.#made += 1;
    this.name = `r${this.#made}`;
    this.id = await makeRepository(this.api, this.alice, this.name, options);
  }

  /** Asks for a path below `info/lfs` of a repository, or for an address of an answer. */
  async ask(
    method: string,
    path: string,
    { as, body, raw, headers = {} }: Asking = {},
    repository = `${this.alice.name}/${this.name}`,
  ): Promise<LfsAnswer> {
    const { rootUrl } = this.api.forge.config;
    const url = path.startsWith(rootUrl) ? path.slice(rootUrl.length) : `/${repository}.git/info/lfs/${path}`;
    const sent = new Headers({
      accept: lfsType,
      ...(as && as !== "nobody" && { authorization: `token ${as.token}` }),
    });
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const content = raw ?? (body === undefined ? null : JSON.stringify(body));
    const response = await this.site.request(
      url,
      {
        method,
        body: content as NonNullable<RequestInit["body"]> | null,
        headers: sent,
        duplex: "half",
      } as RequestInit,
      { clientAddress: "192.0.2.1" },
    );
    const text = await response.text();
    const isJson = response.headers.get("content-type") === lfsType && text !== "";
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
  }

  batch(
    operation: string,
    objects: readonly object[],
    as: Caller | "nobody" = this.alice,
    repository?: string,
  ): Promise<LfsAnswer> {
    return this.ask("POST", "objects/batch", { as, body: { operation, objects } }, repository);
  }

  /** The answer about one object. */
  async one(
    operation: string,
    object: Named,
    as?: Caller | "nobody",
    repository?: string,
  ): Promise<JsonValue> {
    const { status, text, json } = await this.batch(operation, [object], as, repository);
    expect(status, text).toBe(200);
    expect(json.objects).toHaveLength(1);
    return json.objects[0];
  }

  /** Carries out an action as clients do. */
  act(
    { href, header = {} }: { readonly href: string; readonly header?: Record<string, string> },
    method: string,
    asking: Asking = {},
  ): Promise<LfsAnswer> {
    return this.ask(method, href, { ...asking, headers: { ...header, ...asking.headers } });
  }

  /** Uploads some content as clients do; answers its name. */
  async upload(content: string | Uint8Array, as = this.alice, repository?: string): Promise<Named> {
    const object = named(content);
    const { actions } = await this.one("upload", object, as, repository);
    const put = await this.act(actions.upload, "PUT", { raw: content });
    expect(put.status, put.text).toBe(200);
    const verified = await this.act(actions.verify, "POST", { body: object });
    expect(verified.status, verified.text).toBe(200);
    return object;
  }

  /** The ids of a repository's objects, as the table has them. */
  async objects(repositoryId = this.id): Promise<string[]> {
    const items = await this.api.forge.table.queryAll<LfsObject>(lfsObjectsOf(repositoryId));
    return items.map(({ oid }) => oid);
  }

  /** The keys of all files in the bucket. */
  async files(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.api.forge.blobs.list("lfs/")) keys.push(key);
    return keys;
  }
}

export async function startLfs(settings: Readonly<Record<string, string>> = {}): Promise<LfsWorld> {
  const api = await makeApi({ settings });
  return new LfsWorld(api, [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })]);
}
