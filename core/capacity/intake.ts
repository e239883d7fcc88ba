import { randomUUID } from "node:crypto";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveWay } from "../concurrency/give-way.ts";
import type { Config } from "../config.ts";
import { ForgeError, rateLimited, unavailable } from "../errors.ts";
import { mostLfsBytes } from "../lfs/most-bytes.ts";
import { FairShare, type Share, type ShareBounds, type Shortage } from "./fair-share.ts";
import { type SpoolFile, SpoolWriter } from "./spool-writer.ts";
import { Spooled } from "./spooled.ts";
import { asStorageFull } from "./storage-full.ts";

/** The most that all callers together may have a process hold; one of them gets a third. */
export interface IntakeBounds extends Partial<Pick<ShareBounds, "patienceMs" | "slowMs" | "leastBytes">> {
  /** Bytes in memory: bodies, the values made of them, and answers that nobody takes. */
  readonly memoryBytes: number;
  /** The memory for the largest body that is read into memory: that one is let in, whatever a third is. */
  readonly largestWorkBytes: number;
  /** Bytes in temporary files, and of the largest of them: likewise. */
  readonly diskBytes: number;
  readonly largestFileBytes: number;
  /** Bodies in temporary files. */
  readonly files: number;
  /** More of one body than this goes to a file. */
  readonly smallBytes: number;
}

const smallBytes = 64 * 1024;
const comeBackSeconds = 2;
/** The values made of a body take about as much memory again. */
const workFactor = 2;
/** For 32 MiB of JSON, and a little more. */
const largestWorkBytes = 72 * 2 ** 20;

/** Bytes that a caller sends. */
export interface Incoming {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How many may come, at most. */
  readonly mostBytes: number;
  /** Ends it: readers of `bytes` get the reason. */
  end(reason: ForgeError): void;
}

/**
 * Takes in the bodies that callers send, within one bound for the memory, and others for the files. A body lies in a
 * file while it comes, so that no client's pace decides how long memory is held; memory is counted once the whole body
 * is there.
 */
export class Intake {
  readonly memory: FairShare;
  readonly disk: FairShare;
  readonly files: FairShare;
  readonly smallBytes: number;
  /** The memory reserved for answers that wait for their clients now. */
  readonly reserved = new WeakMap<SentAnswer, Share>();

  constructor(bounds: IntakeBounds) {
    const { memoryBytes, largestWorkBytes, diskBytes, largestFileBytes, files, smallBytes, ...manners } =
      bounds;
    const share = (most: number, least: number) =>
      new FairShare({ most, mostPerCaller: Math.max(Math.ceil(most / 3), least), ...manners });
    this.memory = share(memoryBytes, largestWorkBytes);
    this.disk = share(diskBytes, largestFileBytes);
    this.files = share(files, 1);
    this.smallBytes = smallBytes;
  }

  /**
   * The holding of one request of this caller; `answer` is the answer that its client takes afterwards, when that is
   * counted; `signal` ends waiting for room.
   */
  open(caller: string, request: HeldRequest = {}): Holding {
    return new Holding(this, caller, request);
  }
}

/** By setting: for a process that serves many at a time. */
export const boundedIntake = (config: Config): Intake =>
  new Intake({
    memoryBytes: config.maxHeldBytes,
    largestWorkBytes,
    diskBytes: config.gitMaxSpoolBytes,
    largestFileBytes: Math.max(
      config.gitMaxPackBytes,
      config.attachmentMaxSizeMib * 2 ** 20,
      mostLfsBytes(config),
      config.packageMaxSizeMib * 2 ** 21, // an npm package comes in base64, and both lie there
    ),
    files: config.maxSpooledBodies,
    smallBytes,
  });

/** Without bounds: for a function that serves one request, whose body is in memory before it begins. */
export const unboundedIntake = (): Intake => {
  const none = Number.POSITIVE_INFINITY;
  return new Intake({
    ...{ memoryBytes: none, largestWorkBytes: none, diskBytes: none, largestFileBytes: none },
    ...{ files: none, smallBytes: none },
  });
};

/** The answer that a client takes: `closed` once the client has it, or has left. */
export interface SentAnswer {
  readonly closed: boolean;
}

/** The request that holds something. */
export interface HeldRequest {
  readonly answer?: SentAnswer | undefined;
  /** Called only where there is something to wait for, because making a signal costs. */
  readonly signal?: () => AbortSignal;
}

/** The share of one request in the bounded resources, until `release`. */
export class Holding {
  readonly intake: Intake;
  readonly caller: string;
  readonly #answer: SentAnswer | undefined;
  readonly #signal: (() => AbortSignal) | undefined;
  #reserved: Share | undefined;
  #reservedBytes = 0;
  readonly #shares: Share[] = [];
  readonly #inMemory: Share[] = [];
  readonly #files: Spooled[] = [];

  constructor(intake: Intake, caller: string, { answer, signal }: HeldRequest) {
    this.intake = intake;
    this.caller = caller;
    this.#answer = answer;
    this.#signal = signal;
  }

  /** Takes a body in. RateLimited or Unavailable when there is no room in time; TooSlow; StorageFull. */
  async spool(incoming: Incoming): Promise<Spooled> {
    const roomBytes = Math.min(incoming.mostBytes, this.intake.smallBytes);
    const room = await this.#take(this.intake.memory, roomBytes);
    room.onNeeded(() => incoming.end(gaveWay()));
    const writer = new SpoolWriter(roomBytes, () => this.#openFile(incoming));
    try {
      for await (const piece of incoming.bytes) {
        room.noteProgress(piece.byteLength);
        await writer.add(piece);
      }
      const content = await writer.finish();
      if ("path" in content) room.release();
      const spooled = new Spooled(content, writer.sizeBytes, (bytes, work) => this.#withMemory(bytes, work));
      this.#files.push(spooled);
      return spooled;
    } catch (error) {
      await writer.abandon();
      throw asStorageFull(error) ?? error;
    } finally {
      for (const share of this.#shares) share.onNeeded(undefined);
    }
  }

  /** A body in memory, until `release`. */
  async load(spooled: Spooled): Promise<Buffer> {
    if (spooled.isInMemory) return spooled.bytes();
    await this.hold(workFactor * spooled.sizeBytes);
    const bytes = await spooled.bytes();
    await spooled.remove();
    return bytes;
  }

  /** A share of no memory yet, to grow. */
  open(): Share {
    const share = this.intake.memory.open(this.caller);
    this.#shares.push(share);
    return share;
  }

  /** Counts memory until `release`. RateLimited or Unavailable when there is no room in time. */
  hold(bytes: number): Promise<Share> {
    return this.#take(this.intake.memory, bytes);
  }

  /**
   * The same for an answer, if it is large enough to count; it stays counted until the client took it. The next caller
   * begins in another turn of the loop.
   */
  async reserve(bytes: number): Promise<void> {
    if (bytes <= this.intake.smallBytes) return;
    this.#reservedBytes += bytes;
    const own = this.#inMemory.reduce((sum, { amount }) => sum + amount, 0);
    const room = Math.max(0, this.intake.memory.bounds.mostPerCaller - own);
    const share = await this.hold(Math.min(bytes, room));
    this.#reserved ??= share;
    await giveWay();
    this.#signal?.().throwIfAborted();
  }

  /** The same for all that an answer takes, as in `Forge`. */
  async reserveInAll(bytes: number, largest = bytes): Promise<void> {
    if (bytes > this.#reservedBytes) await this.reserve(largest - this.#reservedBytes);
  }

  /** Counts more memory in a share of this holding. RateLimited or Unavailable when there is no room. */
  grow(share: Share, bytes: number): void {
    const shortage = share.grow(bytes);
    if (shortage !== undefined) throw shortageOf(shortage);
  }

  async #withMemory<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const share = await this.hold(bytes);
    try {
      return await work();
    } finally {
      share.release();
    }
  }

  async #openFile({ end }: Incoming): Promise<SpoolFile> {
    const place = await this.#take(this.intake.files, 1);
    const disk = this.intake.disk.open(this.caller);
    this.#shares.push(disk);
    place.onNeeded(() => end(gaveWay()));
    const path = join(tmpdir(), `coldforge-body-${randomUUID()}`);
    return {
      path,
      file: await open(path, "wx", 0o600),
      beforeWrite: ({ length }) => {
        this.grow(disk, length);
        place.noteProgress(length);
      },
    };
  }

  async #take(from: FairShare, amount: number): Promise<Share> {
    const share = await from.take(this.caller, amount, this.#signal);
    if (typeof share === "string") throw shortageOf(share);
    this.#shares.push(share);
    if (from === this.intake.memory) this.#inMemory.push(share);
    return share;
  }

  async release(): Promise<void> {
    const answer = this.#answer;
    const kept = answer === undefined || answer.closed ? undefined : this.#reserved;
    if (answer !== undefined && kept !== undefined) this.intake.reserved.set(answer, kept);
    for (const share of this.#shares.splice(0)) if (share !== kept) share.release();
    for (const file of this.#files.splice(0)) await file.remove();
  }
}

/** The refusal for a shortage. */
const shortageOf = (shortage: Shortage): ForgeError =>
  shortage === "own"
    ? rateLimited("your other requests hold all that one caller may; send fewer at a time", comeBackSeconds)
    : unavailable("requests of others hold all that is there; try again in a moment", {
        retryAfterSeconds: comeBackSeconds,
      });

/** The refusal of a client that is too slow while others wait. */
export const gaveWay = () => new ForgeError("too-slow", "the body came too slowly while others waited");
