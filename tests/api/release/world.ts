import type { SQSEvent } from "aws-lambda";
import { expect } from "vitest";
import { attachmentFiles, attachmentsPartition } from "#core/attachment/attachment.table";
import { cardKey } from "#core/repository/repository.table";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { beside, type SentFile, sendFile } from "#tests/api/attachment/make";
import { RepositoryWorld, startWorld } from "#tests/api/repository/world";
import type { ApiAnswer, Caller, JsonValue } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";

/** The place of tests of releases: for each test (`begin`) a repository of the owner's with a commit on main. */
export class ReleaseWorld extends RepositoryWorld {
  readonly ask = beside(this.api);
  /** The commit at the head of main. */
  head = "";

  override async begin(options: object = {}): Promise<void> {
    await super.begin(options);
    this.head = await pushFiles(this.api, this.owner, this.name, { files: { f: "1" } });
  }

  /** The same without credentials. */
  open(path: string): Promise<ApiAnswer> {
    return this.api.call("GET", `${this.path}/${path}`);
  }

  async make(body: object, as?: Caller): Promise<JsonValue> {
    const answer = await this.call("POST", "releases", body, as);
    expect(answer.status, answer.text).toBe(201);
    return answer.json;
  }

  /** The tags of a page of releases, as the caller sees it. */
  async tags(query = "", as?: Caller): Promise<string[]> {
    const { status, json } = await this.call("GET", `releases${query}`, undefined, as);
    expect(status).toBe(200);
    return json.map(({ tag_name }: JsonValue) => tag_name);
  }

  /** The commit that a tag leads to; undefined when there is none. */
  async tagged(name: string): Promise<string | undefined> {
    return (await this.call("GET", `tags/${name}`)).json.commit?.sha;
  }

  assets(release: number): string {
    return `${this.path}/releases/${release}/assets`;
  }

  async upload(release: number, file?: SentFile, as: Caller = this.owner): Promise<JsonValue> {
    const answer = await sendFile(this.api, this.assets(release), as, file);
    expect(answer.status, answer.text).toBe(201);
    return answer.json;
  }

  async counter(): Promise<number> {
    return (await this.call("GET", "")).json.release_counter;
  }

  /** How many assets the owner's card counts, and their bytes. */
  async usage(ownerId = this.owner.user.id): Promise<[count: number, sizeBytes: number]> {
    const card = await this.api.forge.table.get(cardKey(ownerId, this.id));
    return [Number(card?.releaseAttachments ?? 0), Number(card?.releaseAttachmentBytes ?? 0)];
  }

  /** How many attachments are left of the repository, and how many files. */
  async left(): Promise<[items: number, files: number]> {
    const { table, blobs } = this.api.forge;
    const items = await table.queryAll({ pk: attachmentsPartition(this.id) });
    let files = 0;
    for await (const _file of blobs.list(attachmentFiles(this.id))) files += 1;
    return [items.length, files];
  }

  /** Lets the worker do what follows changes. */
  async settle(): Promise<void> {
    await this.api.queues.drain("repository-events", (event: SQSEvent) =>
      repositoryEventsWorker(this.api.forge, event),
    );
  }
}

export async function startReleases(settings: Record<string, string> = {}): Promise<ReleaseWorld> {
  return new ReleaseWorld(...(await startWorld({ ATTACHMENT_MAX_SIZE: "1", ...settings })));
}
