import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startServer } from "#tests/support/process/server-process";
import { createRandom } from "#tests/support/random";
import { check } from "./crash-check.ts";
import { Acknowledged } from "./crash-load.ts";
import { runCrashTest } from "./crash-test.ts";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

it("kill -9 under a mixed load, three times: nothing acknowledged is lost, nothing is half visible", async () => {
  const result = await runCrashTest({ project, rounds: 3, seed: createRandom().seed });
  expect(result).toMatchObject({ problems: [] });
  // Each round goes on until three more writes at least were acknowledged, the second one until a push was.
  expect(result.acknowledgedWrites).toBeGreaterThanOrEqual(9);
  expect(result.acknowledgedPushes).toBeGreaterThanOrEqual(1);
});

it("the check itself tells a lost issue, a lost comment and a lost push", async () => {
  const work = mkdtempSync(join(tmpdir(), "coldforge-crash-check-"));
  const server = await startServer({ project });
  try {
    await fetch(`${server.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "lossy" }),
    });
    const known = new Acknowledged();
    known.of(known.branches, "lossy").set("main", "1".repeat(40));
    known.of(known.issues, "lossy").set(1, "never written");
    known.of(known.comments, "lossy").set(1, "never written");
    expect(await check(server, known, work)).toEqual([
      "lossy#1 is lost or changed",
      "lossy: comment 1 is lost or changed",
      `lossy: main should hold ${"1".repeat(40)}, it is undefined`,
    ]);
  } finally {
    await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
});
