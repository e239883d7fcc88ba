import type { IngestProgress } from "../ingest/ingest-types.ts";
import { band, bandFrame, keepAliveFrame } from "./side-band.ts";

const titles = { receiving: "Checking objects", resolving: "Resolving deltas" } as const;

/** What a pusher sees of the work on the pack, in the words that git servers use. */
export class PushProgress {
  #latest: IngestProgress | undefined;
  #told: IngestProgress | undefined;

  note(progress: IngestProgress): void {
    this.#latest = progress;
  }

  /** A frame for now: how far the work is, or an empty one when that has been said. */
  frame(): Buffer {
    if (this.#latest === undefined || this.#latest === this.#told) return keepAliveFrame;
    const end = this.#told !== undefined && this.#told.stage !== this.#latest.stage ? "\n" : "";
    this.#told = this.#latest;
    return bandFrame(band.progress, `${end}${lineOf(this.#latest)}\r`);
  }

  /** Ends the line that stands half-written on the pusher's screen, if one does. */
  end(): Buffer[] {
    return this.#told === undefined ? [] : [bandFrame(band.progress, "\n")];
  }
}

function lineOf({ stage, done, total }: IngestProgress): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return `${titles[stage]}: ${percent}% (${done}/${total})`;
}
