import { parentPort } from "node:worker_threads";
import { type RenderOptions, render } from "./render.ts";

/** A text to render, and the answer: HTML, or nothing where it would be longer than a caller takes. */
export interface RenderRequest {
  readonly text: string;
  readonly options: RenderOptions;
  readonly mostBytes: number;
}
export interface RenderAnswer {
  readonly html?: string;
}

// The script of the thread that renders: one text at a time.
parentPort?.on("message", ({ text, options, mostBytes }: RenderRequest) => {
  const html = render(text, options);
  const answer: RenderAnswer = Buffer.byteLength(html) > mostBytes ? {} : { html };
  parentPort?.postMessage(answer);
});
