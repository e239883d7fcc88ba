import type { Config } from "../config.ts";

/** Whether a title says that the request is not ready to merge. */
export const isDraftTitle = ({ workInProgressPrefixes }: Config, title: string): boolean =>
  workInProgressPrefixes.some((prefix) => title.toLowerCase().startsWith(prefix.toLowerCase()));
