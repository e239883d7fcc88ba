import { defineConfig, type TestUserConfig } from "vitest/config";
import { SlowestFirst } from "./tests/support/suite/slowest-first.ts";

/**
 * Three suites: `quick` (npm test: Node and git only), `long` (what takes longer or needs more; npm run test:all runs
 * both), and `soak`: many more rounds of the random and exhaustive tests of which the others play a few.
 */
const shared = {
  environment: "node",
  // No test says by these how fast anything is: they end what would never end, also on a machine that is busy.
  testTimeout: 120_000,
  hookTimeout: 180_000,
  pool: "forks",
  // Modules are loaded once, not once for each of hundreds of files: they keep no state that another file sees.
  isolate: false,
  expect: { poll: { timeout: 100_000 } },
  setupFiles: ["tests/support/suite/each-file.ts"],
  env: {
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    // Every git that a test starts has no settings but its own, and speaks English.
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    LC_ALL: "C.UTF-8",
  },
} satisfies TestUserConfig;

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/suite/slowest-files.ts"],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: "quick",
          // Two more than CI's cores: each waits for git, the stand-ins and timers 40 % of the time.
          maxWorkers: 4,
          // The short-lived objects of requests outgrow the 16 MiB that V8 has for them, which makes it collect often.
          execArgv: ["--max-semi-space-size=64"],
          sequence: { groupOrder: 0 },
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/**/*.{long,soak}.test.ts"],
        },
      },
      // Run by `npm run sample` alone, which names it.
      { test: { ...shared, name: "sample", include: ["tests/stored/*.sample.ts"] } },
      ...["long", "soak"].map((name) => ({
        test: {
          ...shared,
          name,
          include: [`tests/**/*.${name}.test.ts`],
          testTimeout: name === "soak" ? 1_800_000 : 600_000,
          // After the quick ones. Two more than CI's cores, too, since they wait for a third of the time; what holds how
          // long the loop of a server is busy counts its computing alone.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      })),
    ],
  },
});
