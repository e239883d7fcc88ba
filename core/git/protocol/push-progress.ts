import type { IngestProgress } from "../ingest/ingest-types.ts";
import { band, bandFrame, keepAliveFrame } from "./side-band.ts";

const titles = { receiving: "Checking objects", resolving: "Resolving deltas" } as const;

/** The progress of the work on the pack, as a pusher sees it, in the words of git servers. */
export class PushProgress {
  #latest: IngestProgress | undefined;
  #told: IngestProgress | undefined;

  note(progress: IngestProgress): void {
    this.#latest = progress;
  }

  /** A frame for now: the progress, or an empty one when it was said already. */
  frame(): Buffer {
    if (this.#latest === undefined || this.#latest === this.#told) return keepAliveFrame;
    const end = this.#told !== undefined && this.#told.stage !== this.#latest.stage ? "\n" : "";
    this.#told = this.#latest;
    return bandFrame(band.progress, `${end}${lineOf(this.#latest)}\r`);
  }

  /** Ends a half-written line on the pusher's screen. */
  end(): Buffer[] {
    return this.#told === undefined ? [] : [bandFrame(band.progress, "\n")];
  }
}

function lineOf({ stage, done, total }: IngestProgress): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return `${titles[stage]}: ${percent}% (${done}/${total})`;
}
