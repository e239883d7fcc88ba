import { expect } from "vitest";
import { attachmentFiles, attachmentsPartition } from "#core/attachment/attachment.table";
import { cardKey } from "#core/repository/repository.table";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { addComment, openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { beside, type SentFile, sendFile } from "./make.ts";

const hour = 3_600_000;

/**
 * The place of attachment tests: an api that takes files of one MiB, and for each test (`begin`) a repository of the
 * owner's with an issue of the author's and a comment of theirs on it, two hours ago.
 */
export class AttachmentWorld {
  readonly api: TestApi;
  readonly ask: ReturnType<typeof beside>;
  readonly owner: Caller;
  readonly author: Caller;
  /** May write the repository. */
  readonly writer: Caller;
  readonly reader: Caller;
  where!: TestRepository;
  commentId!: number;

  constructor(api: TestApi, [owner, author, writer, reader]: readonly [Caller, Caller, Caller, Caller]) {
    this.api = api;
    this.ask = beside(api);
    this.owner = owner;
    this.author = author;
    this.writer = writer;
    this.reader = reader;
  }

  async begin(): Promise<void> {
    const { api, owner, author, writer } = this;
    this.where = await makeRepository(api, owner);
    const body = { permission: "write" };
    await api.call("PUT", `${this.where.path}/collaborators/${writer.name}`, { as: owner, body });
    await openIssue(api, this.where, author);
    this.commentId = (await addComment(api, this.where, 1, author)).id;
    api.clock.advance(2 * hour);
  }

  onIssue(number = 1): string {
    return `${this.where.path}/issues/${number}/assets`;
  }

  onComment(id = this.commentId): string {
    return `${this.where.path}/issues/comments/${id}/assets`;
  }

  async upload(path: string, as: Caller, file?: SentFile): Promise<JsonValue> {
    const answer = await sendFile(this.api, path, as, file);
    expect(answer.text && answer.status).toBe(201);
    return answer.json;
  }

  async get(path: string, as?: Caller): Promise<JsonValue> {
    return (await this.api.call("GET", path, { as })).json;
  }

  issue(): Promise<JsonValue> {
    return this.get(`${this.where.path}/issues/1`);
  }

  /** A time of the past, as answers write it. */
  ago(ms: number): string {
    return new Date(this.api.clock.now() - ms).toISOString().replace(/\.\d+Z/, "Z");
  }

  /** How many attachments the repository counts, and their bytes. */
  async usage(): Promise<[count: number, sizeBytes: number]> {
    const card = await this.api.forge.table.get(cardKey(this.owner.user.id, this.where.repository.id));
    return [Number(card?.issueAttachments ?? 0), Number(card?.issueAttachmentBytes ?? 0)];
  }

  async filesLeft(): Promise<number> {
    const keys: string[] = [];
    const files = attachmentFiles(this.where.repository.id);
    for await (const { key } of this.api.forge.blobs.list(files)) keys.push(key);
    return keys.length;
  }

  async itemsLeft(): Promise<number> {
    const pk = attachmentsPartition(this.where.repository.id);
    return (await this.api.forge.table.queryAll({ pk })).length;
  }
}

export async function startAttachments(): Promise<AttachmentWorld> {
  const api = await makeApi({ settings: { ATTACHMENT_MAX_SIZE: "1" } });
  const users = [
    await api.makeUser(),
    await api.makeUser(),
    await api.makeUser(),
    await api.makeUser(),
  ] as const;
  return new AttachmentWorld(api, users);
}
