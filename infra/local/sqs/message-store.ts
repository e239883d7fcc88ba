import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Log } from "#core/log";
import { makeDurableFolder } from "../durable-file.ts";
import { SqsError } from "./error.ts";
import { Journal } from "./journal.ts";
import { type Message, MessageQueue, type QueueCounts } from "./message-queue.ts";

/** A queue as the service declares it. Its dead-letter queue exists without being declared itself. */
export interface QueueSettings {
  name: string;
  visibilityTimeoutSeconds: number;
  /** The queue for a message that would be received more than `maxReceiveCount` times. */
  deadLetter?: { name: string; maxReceiveCount: number };
}

/** A message handed to a receiver, and the handle that deletes it. */
export interface ReceivedMessage {
  message: Readonly<Message>;
  receiptHandle: string;
}

type JournalRecord =
  | { kind: "put"; message: Message }
  | { kind: "received"; id: string; count: number; firstAt: number }
  | { kind: "removed"; id: string };

const compactAboveBytes = 4 * 1024 * 1024;

/** What a store takes beside its queues. `folder` is created. */
export interface MessageStoreOptions {
  folder: string;
  log: Log;
  /** Keeps the messages only in memory: for tests, which would wait for the disk. */
  isInMemory?: true | undefined;
}

/**
 * All queues, in memory and in one journal. An acknowledged send, delete or purge survives a crash, and so does how
 * often a message was received. That it is in work doesn't: after a start every message that is not delayed can be
 * received, because the workers ended with the process.
 */
export class MessageStore {
  readonly #messages = new Map<string, Message>();
  readonly #queues = new Map<string, { settings: QueueSettings; messages: MessageQueue }>();
  #journal: Journal<JournalRecord> | undefined;

  private constructor(queues: readonly QueueSettings[]) {
    for (const settings of queues) this.#declare(settings);
    for (const { deadLetter } of queues) {
      if (deadLetter) this.#declare({ name: deadLetter.name, visibilityTimeoutSeconds: 30 });
    }
  }

  static async open(queues: readonly QueueSettings[], options: MessageStoreOptions): Promise<MessageStore> {
    const { folder, log, isInMemory } = options;
    const store = new MessageStore(queues);
    if (isInMemory === true) return store;
    await makeDurableFolder(folder);
    store.#journal = await Journal.open<JournalRecord>({
      path: join(folder, "journal"),
      apply: (record) => store.#apply(record),
      snapshot: () => store.#snapshot(),
      compactAboveBytes,
      log,
    });
    return store;
  }

  #declare(settings: QueueSettings): void {
    if (!this.#queues.has(settings.name)) {
      this.#queues.set(settings.name, { settings, messages: new MessageQueue() });
    }
  }

  #queue(name: string) {
    const queue = this.#queues.get(name);
    if (queue === undefined)
      throw new SqsError("QueueDoesNotExist", `The specified queue ${name} does not exist.`);
    return queue;
  }

  async #write(records: readonly JournalRecord[]): Promise<void> {
    if (this.#journal === undefined) for (const record of records) this.#apply(record);
    else if (records.length > 0) await this.#journal.append(records);
  }

  #apply(record: JournalRecord): void {
    if (record.kind === "put") {
      const { message } = record;
      this.#forget(message.id);
      this.#declare({ name: message.queue, visibilityTimeoutSeconds: 30 }); // no longer declared, but not empty
      this.#messages.set(message.id, message);
      this.#queue(message.queue).messages.add(message);
    } else if (record.kind === "received") {
      const message = this.#messages.get(record.id);
      if (message === undefined || message.receiveCount >= record.count) return; // already so in memory
      message.receiveCount = record.count;
      message.firstReceivedAt = record.firstAt;
    } else {
      this.#forget(record.id);
    }
  }

  #forget(id: string): void {
    const message = this.#messages.get(id);
    if (message === undefined) return;
    this.#messages.delete(id);
    this.#queue(message.queue).messages.remove(id);
  }

  *#snapshot(): Iterable<JournalRecord> {
    for (const message of this.#messages.values()) yield { kind: "put", message };
  }

  /** The declaration of a queue. Throws QueueDoesNotExist. */
  settings(name: string): QueueSettings {
    return this.#queue(name).settings;
  }

  counts(name: string): QueueCounts {
    return this.#queue(name).messages.counts();
  }

  /** Adds messages, all or none; returns their ids. */
  async send(name: string, drafts: readonly { body: string; delaySeconds: number }[]): Promise<string[]> {
    const { settings } = this.#queue(name);
    const sentAt = Date.now();
    const messages = drafts.map(({ body, delaySeconds }) => ({
      id: randomUUID(),
      queue: settings.name,
      body,
      sentAt,
      visibleFrom: delaySeconds === 0 ? 0 : sentAt + delaySeconds * 1000,
      receiveCount: 0,
    }));
    await this.#write(messages.map((message) => ({ kind: "put", message })));
    return messages.map(({ id }) => id);
  }

  /** Takes up to `limit` messages for `visibilitySeconds`; waits up to `waitSeconds` while there is none. */
  async receive(
    name: string,
    options: { limit: number; visibilitySeconds: number; waitSeconds: number },
    signal: AbortSignal,
  ): Promise<ReceivedMessage[]> {
    const { messages } = this.#queue(name);
    const deadline = Date.now() + options.waitSeconds * 1000;
    for (;;) {
      const received = await this.#claim(name, options.limit, options.visibilitySeconds * 1000);
      const leftMs = deadline - Date.now();
      if (received.length > 0 || leftMs <= 0 || signal.aborted || messages.isClosed) return received;
      await messages.waitForVisible(leftMs, signal);
    }
  }

  async #claim(name: string, limit: number, visibilityMs: number): Promise<ReceivedMessage[]> {
    const { settings, messages } = this.#queue(name);
    const { deadLetter } = settings;
    const taken: Message[] = [];
    const records: JournalRecord[] = [];
    while (taken.length < limit) {
      const message = messages.claim(visibilityMs);
      if (message === undefined) break;
      if (deadLetter && message.receiveCount >= deadLetter.maxReceiveCount) {
        records.push({ kind: "put", message: { ...message, queue: deadLetter.name, receiveCount: 0 } });
        continue;
      }
      message.receiveCount++;
      message.firstReceivedAt ??= Date.now();
      taken.push(message);
      const { id, receiveCount, firstReceivedAt } = message;
      records.push({ kind: "received", id, count: receiveCount, firstAt: firstReceivedAt });
    }
    try {
      await this.#write(records);
    } catch (error) {
      for (const { id } of taken) messages.extend(id, 0);
      throw error;
    }
    return taken.map((message) => ({ message: { ...message }, receiptHandle: receiptOf(message) }));
  }

  /** Shows messages again whose receiver did not get them. */
  giveBack(name: string, received: readonly ReceivedMessage[]): void {
    for (const { message } of received) this.#queue(name).messages.extend(message.id, 0);
  }

  /** Deletes the messages of the handles. A handle older than the last receive has no effect. */
  async remove(name: string, receiptHandles: readonly string[]): Promise<void> {
    const found = receiptHandles.map((handle) => this.#find(name, handle)).filter((one) => one !== undefined);
    await this.#write(found.map(({ id }) => ({ kind: "removed", id })));
  }

  /** Sets how long a message stays hidden from now on. Throws MessageNotInflight, ReceiptHandleIsInvalid. */
  changeVisibility(name: string, receiptHandle: string, visibilitySeconds: number): void {
    const { messages } = this.#queue(name);
    const message = this.#find(name, receiptHandle);
    if (message === undefined || !messages.isInFlight(message.id)) {
      throw new SqsError("MessageNotInflight", "The message referred to is not in flight.");
    }
    messages.extend(message.id, visibilitySeconds * 1000);
  }

  #find(name: string, receiptHandle: string): Message | undefined {
    this.#queue(name);
    const [id = "", count] = Buffer.from(receiptHandle, "base64url").toString().split("#");
    if (!/^\d+$/.test(count ?? "")) {
      throw new SqsError("ReceiptHandleIsInvalid", "The input receipt handle is invalid.");
    }
    const message = this.#messages.get(id);
    return message?.queue === name && message.receiveCount === Number(count) ? message : undefined;
  }

  /** Deletes every message of a queue. */
  async purge(name: string): Promise<void> {
    this.#queue(name);
    const messages = [...this.#messages.values()].filter((message) => message.queue === name);
    await this.#write(messages.map(({ id }) => ({ kind: "removed", id })));
  }

  /** Makes waiting receivers return with nothing, now and from now on. */
  stopWaiting(): void {
    for (const { messages } of this.#queues.values()) messages.close();
  }

  /** Waits for running writes. */
  async close(): Promise<void> {
    this.stopWaiting();
    await this.#journal?.close();
  }
}

const receiptOf = ({ id, receiveCount }: Message) =>
  Buffer.from(`${id}#${receiveCount}`).toString("base64url");
