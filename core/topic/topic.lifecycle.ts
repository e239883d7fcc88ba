import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const topicLifecycle: Lifecycle = {
  noun: "topic",
  items: [{ at: "TOPIC#<name> / #", counter: "topic", goes: "never: a topic keeps its id and dates" }],
};
