import { afterAll, beforeAll, beforeEach } from "vitest";
import { type AttachmentWorld, startAttachments } from "./world.ts";

export let world: AttachmentWorld;

/** Makes it before the tests of a file, and takes it away after them. */
export function useForms(): void {
  beforeAll(async () => {
    world = await startAttachments();
  });
  beforeEach(() => world.begin());
  afterAll(() => world.api.stop());
}
