import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { openRepository } from "#core/git/store/store";
import { createFilesApp } from "#functions/files/app";
import { ourRefs } from "#tests/git/client/remotes";
import { git, temporaryFolder } from "#tests/git/pack/real-git";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { whileWorking } from "#tests/support/mirror-work";

/** A repository of ours, and a folder of real git whose history comes there. */
export interface Place {
  readonly id: number;
  readonly path: string;
  readonly folder: string;
}

/** Callers who bring bundles. */
export class ImportWorld {
  readonly api: TestApi;
  readonly alice: Caller;
  readonly bob: Caller;

  constructor(api: TestApi, alice: Caller, bob: Caller) {
    this.api = api;
    this.alice = alice;
    this.bob = bob;
  }

  /** An empty repository of alice, and a history of so many commits elsewhere. */
  async place(options: { commits?: number; format?: ObjectFormat; body?: object } = {}): Promise<Place> {
    const { commits = 3, format = "sha1" } = options;
    const body = { name: `r-${randomUUID().slice(0, 8)}`, object_format_name: format, ...options.body };
    const { status, json } = await this.api.call("POST", "/user/repos", { as: this.alice, body });
    expect(status).toBe(201);
    const folder = await temporaryFolder();
    await git(folder, ["init", "-q", "-b", "main", `--object-format=${format}`, "."]);
    await this.commit(folder, commits, "first", "");
    return { id: json.id, path: `/repos/${json.full_name}`, folder };
  }

  /** Commits without changes on `main`, upon its tip unless told otherwise. */
  async commit(folder: string, commits: number, what = "more", from = "from refs/heads/main^0\n") {
    const stream = Array.from({ length: commits }, (_, at) => {
      const message = `${what} ${at} ${randomUUID()}`;
      const head = `commit refs/heads/main\ncommitter A <a@example.org> ${1_700_000_000 + at} +0000\n`;
      return `${head}data ${message.length}\n${message}\n${at === 0 ? from : ""}\n`;
    });
    await git(folder, ["fast-import", "--quiet"], stream.join(""));
  }

  /** A bundle that real git makes. */
  async bundle(folder: string, ...what: string[]): Promise<Buffer> {
    const options = what.filter((one) => one.startsWith("--version"));
    const revisions = what.filter((one) => !options.includes(one));
    const named = revisions.length === 0 ? ["--all"] : revisions;
    await git(folder, ["bundle", "create", "-q", ...options, "made.bundle", ...named]);
    return readFile(join(folder, "made.bundle"));
  }

  call(method: string, { path }: Place, rest = "", options: { as?: Caller; body?: object } = {}) {
    return this.api.call(method, `${path}/import${rest}`, { as: this.alice, ...options });
  }

  /** Puts bytes to an address of ours. */
  async put(url: string, bytes: Uint8Array): Promise<number> {
    const app = createFilesApp(this.api.forge);
    const { pathname } = new URL(url);
    const environment = { clientAddress: "192.0.2.1" };
    const body = bytes as NonNullable<RequestInit["body"]>;
    return (await app.request(pathname, { method: "PUT", body }, environment)).status;
  }

  /** Opens an import and uploads a bundle. */
  async upload(place: Place, bundle: Buffer, as = this.alice): Promise<void> {
    const { status, json } = await this.call("POST", place, "", { as, body: { size: bundle.length } });
    expect(status).toBe(201);
    for (const { number, size, upload_url: url } of json.parts) {
      const start = (number - 1) * json.part_size;
      expect(await this.put(url, bundle.subarray(start, start + size))).toBe(204);
    }
  }

  complete(place: Place, as = this.alice): Promise<ApiAnswer> {
    return whileWorking(this.api, this.call("POST", place, "/complete", { as }));
  }

  /** Brings a bundle; answers what became of it. */
  async bring(place: Place, bundle: Buffer, as = this.alice) {
    await this.upload(place, bundle, as);
    const { status, json } = await this.complete(place, as);
    expect(status).toBe(200);
    return json;
  }

  async refs({ id }: Place) {
    const opened = await openRepository(this.api.forge, id);
    if (opened === undefined) throw new Error("gone");
    return ourRefs(opened);
  }
}

export async function makeImportWorld(): Promise<ImportWorld> {
  const api = await makeApi();
  const [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  return new ImportWorld(api, alice, bob);
}
