// `npm run crash-test [rounds] [seed]`: kills the server with SIGKILL at random moments under a mixed load of API
// writes and pushes, starts it again, and checks that nothing acknowledged is lost and nothing is half visible.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, project, refuse } from "../../infra/local/bundle.mjs";

const words = process.argv.slice(2);
if (words.some((word) => word === "--help" || word === "-h")) {
  console.log(
    "npm run crash-test -- [rounds] [seed]   kills the server under load so many times (30), by this seed",
  );
  process.exit(0);
}
const [rounds = "30", seed = String(Date.now() % 1_000_000), ...others] = words;
const isNumber = (word) => /^\d{1,9}$/.test(word);
if (others.length > 0 || !isNumber(rounds) || !isNumber(seed) || Number(rounds) === 0) {
  refuse(
    "crash-test takes a number of rounds from 1 on and a seed, such as `npm run crash-test -- 30 4711`.",
  );
}
const built = await bundle({ "crash-test": "tests/faults/crash-test.ts" });
const { runCrashTest } = await import(pathToFileURL(join(built, "crash-test.mjs")).href);
const result = await runCrashTest({ project, rounds: Number(rounds), seed: Number(seed) });
console.log(JSON.stringify(result, undefined, 2));
process.exit(result.problems.length === 0 ? 0 : 1);
