import type { Doors, OpenRepository } from "../store.ts";
import { keepAliveMs, withKeepAlive } from "./keep-alive.ts";
import { PacketReader } from "./pkt-line.ts";
import { readCommands } from "./receive-commands.ts";
import { type PushReport, renderReport } from "./report.ts";
import { keepAliveFrame } from "./side-band.ts";
import { type TakePushOptions, takePush } from "./take-push.ts";

/** How a push is served. */
export interface ReceivePackOptions extends TakePushOptions {
  readonly keepAliveMs?: number;
  /** Most refs of one push. */
  readonly mostChanges?: number;
}

/** Bytes read on after a refusal, so that a client that is still sending gets to read the reason. */
const mostDrainedBytes = 512 * 2 ** 20;

/**
 * Serves one request to git-receive-pack. Gives nothing before the body has been read; then empty frames on side-band
 * 2 while the work goes on, and the report. Throws ProtocolError when the request is not a push at all.
 */
export async function* receivePack(
  doors: Doors,
  repository: OpenRepository,
  body: AsyncIterable<Uint8Array>,
  options: ReceivePackOptions,
): AsyncGenerator<Uint8Array> {
  const reader = new PacketReader(body);
  try {
    const commands = await readCommands(reader, repository.root.objectFormat, options.mostChanges);
    if (commands.changes.length === 0 && commands.problem === undefined) return;
    const pack = new PackBody(reader);
    const work = takePush(doors, repository, commands, pack, options).then(async (report) => {
      await pack.drain();
      return report;
    });
    await Promise.race([pack.ended, work]);
    const frames = reportFrames(work, commands.capabilities);
    if (!commands.capabilities.has("side-band-64k")) yield* frames;
    else yield* withKeepAlive(frames, () => keepAliveFrame, options.keepAliveMs ?? keepAliveMs);
  } finally {
    await reader.close();
  }
}

async function* reportFrames(
  work: Promise<PushReport>,
  capabilities: Parameters<typeof renderReport>[1],
): AsyncGenerator<Buffer> {
  yield* renderReport(await work, capabilities);
}

/** The pack's bytes. Who stops reading them halfway does not close the request: the rest is drained later. */
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
