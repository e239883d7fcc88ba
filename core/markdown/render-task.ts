import type { Task } from "../compute/task.ts";
import type { RenderOptions } from "./internal/render.ts";

/** A text to render, and the answer: HTML, or nothing when it would be longer than a caller takes. */
export interface RenderRequest {
  readonly text: string;
  readonly options: RenderOptions;
  readonly mostBytes: number;
}
export interface RenderAnswer {
  readonly html?: string;
}

/** Renders a text. A hostile one may take long and much memory; a megabyte of prose takes 2 s. */
export const renderTask: Task<RenderRequest, RenderAnswer> = {
  name: "render-markdown",
  deadlineMs: 10_000,
  async run({ text, options, mostBytes }) {
    const { render } = await import("./internal/render.ts"); // large, and only threads render
    const html = render(text, options);
    return Buffer.byteLength(html) > mostBytes ? {} : { html };
  },
};
