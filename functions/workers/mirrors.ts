import { onLinkedForge } from "../linked-forge.ts";
import { createWorker } from "./worker.ts";

/** Works on a batch of the queue `mirrors`. Nothing sends to it yet: a message of any kind ends in its dead letters. */
export const mirrorWorker = createWorker("mirrors", {});

/** The function behind the queue `mirrors`. */
export const handler = onLinkedForge(mirrorWorker);
