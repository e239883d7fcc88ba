import { describe, expect, it } from "vitest";
import { crashRounds } from "./crash-rounds.ts";

describe("the S3 and SQS stand-ins, killed with kill -9 under load", () => {
  it("lose nothing that was acknowledged and show nothing half-written (4 rounds)", async () => {
    const { acknowledged, wrong } = await crashRounds(4);
    expect(wrong).toEqual([]);
    expect(acknowledged).toBeGreaterThan(20);
  });
});
