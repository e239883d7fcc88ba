import type { IngestProgress } from "../ingest/ingest-types.ts";
import type { OpenRepository, Stores } from "../store/store.ts";
import type { Capabilities } from "./capabilities.ts";
import { keepAliveMs, withKeepAlive } from "./keep-alive.ts";
import { PacketReader } from "./pkt-line.ts";
import { PushProgress } from "./push-progress.ts";
import { readCommands } from "./receive-commands.ts";
import { type PushReport, renderReport } from "./report.ts";
import { keepAliveFrame } from "./side-band.ts";
import { type TakePushOptions, takePush } from "./take-push.ts";

/** How a push is served. */
export interface ReceivePackOptions extends TakePushOptions {
  readonly keepAliveMs?: number;
  /** Most refs of one push. */
  readonly mostChanges?: number;
  /** Called before bytes of commands are kept; throws when there is no room for them. */
  keep?(bytes: number): void;
}

const progressMs = 1_000;
/** How many bytes are read after a refusal, so that a client that is still sending gets to read the reason. */
const mostDrainedBytes = 512 * 2 ** 20;

/**
 * Serves one request to git-receive-pack. It sends nothing before the body has been read; then, on side-band 2,
 * progress or empty frames, and the report. Throws ProtocolError when the request is no push at all.
 */
export async function* receivePack(
  stores: Stores,
  repository: OpenRepository,
  body: AsyncIterable<Uint8Array>,
  options: ReceivePackOptions,
): AsyncGenerator<Uint8Array> {
  const openedAt = performance.now();
  const reader = new PacketReader(body);
  try {
    const commands = await readCommands(reader, repository.format, options);
    if (commands.changes.length === 0 && commands.problem === undefined) return;
    const pack = new PackBody(reader);
    const progress = new PushProgress();
    const onProgress = (now: IngestProgress) => progress.note(now);
    const work = takePush(stores, repository, commands, pack, { ...options, openedAt, onProgress }).then(
      async (report) => {
        await pack.drain();
        return report;
      },
    );
    await Promise.race([pack.ended, work]);
    yield* answer(work, commands.capabilities, progress, options.keepAliveMs ?? keepAliveMs);
  } finally {
    await reader.close();
  }
}

/** The report once the work is done; on a side-band, progress before it whenever nothing was said for a while. */
async function* answer(
  work: Promise<PushReport>,
  capabilities: Capabilities,
  progress: PushProgress,
  idleMs: number,
): AsyncGenerator<Buffer> {
  const report = async function* () {
    const done = await work;
    yield* progress.end();
    yield* renderReport(done, capabilities);
  };
  if (!capabilities.has("side-band-64k")) yield* report();
  else if (capabilities.has("quiet")) yield* withKeepAlive(report(), () => keepAliveFrame, idleMs);
  else yield* withKeepAlive(report(), () => progress.frame(), Math.min(progressMs, idleMs));
}

/** The pack's bytes. A reader that stops halfway does not close the request: the rest is drained later. */
class PackBody implements AsyncIterable<Uint8Array> {
  readonly ended: Promise<void>;
  readonly #pieces: AsyncGenerator<Buffer>;
  #markEnded: () => void = () => undefined;

  constructor(reader: PacketReader) {
    this.#pieces = reader.rest();
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const result = await this.#pieces.next();
    if (!result.done) return result;
    this.#markEnded();
    return { done: true, value: undefined };
  }

  async drain(): Promise<void> {
    let drained = 0;
    for await (const piece of this) {
      drained += piece.length;
      if (drained > mostDrainedBytes) return;
    }
  }
}
