import { defineConfig, type TestUserConfig } from "vitest/config";

/** Two suites: `quick` (npm test: Node and git only) and `long` (everything else, npm run test:all runs both). */
const shared = {
  environment: "node",
  testTimeout: 30_000,
  hookTimeout: 60_000,
  pool: "forks",
  // How long it takes until something comes about is no assertion: the test's own time bounds it.
  expect: { poll: { timeout: 25_000 } },
  setupFiles: ["tests/support/each-file.ts"],
  env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
} satisfies TestUserConfig;

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: "quick",
          // Modules are loaded once, not once for each of hundreds of files: they keep no state that another file sees.
          isolate: false,
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/**/*.long.test.ts"],
        },
      },
      { test: { ...shared, name: "long", include: ["tests/**/*.long.test.ts"], testTimeout: 600_000 } },
    ],
  },
});
