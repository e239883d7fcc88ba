import type { Blobs } from "#core/blobs";

/** A store that waits for `hold` before it reads or writes. */
export const heldBlobs = (blobs: Blobs, hold: () => Promise<void>): Blobs => ({
  ...blobs,
  async get(...key) {
    await hold();
    return blobs.get(...key);
  },
  async read(...range) {
    await hold();
    return blobs.read(...range);
  },
  async *stream(...range) {
    await hold();
    yield* blobs.stream(...range);
  },
  async put(...object) {
    await hold();
    return blobs.put(...object);
  },
});
