import { afterAll, beforeAll, describe } from "vitest";
import { itServes, openSample, type StoredForge } from "./open-sample.ts";

/** Data as it was stored when format 2 began: later programs read it, or bring it along by a job. */
let stored: StoredForge;

beforeAll(async () => {
  stored = await openSample(2);
});
afterAll(() => stored.api.stop());

describe("stored data of format 2", () => {
  itServes(() => stored);
});
