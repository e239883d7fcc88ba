import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const languageLifecycle: Lifecycle = {
  noun: "language",
  items: [{ at: "R#<repository> / LANGUAGES" }],
};
