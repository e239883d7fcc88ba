// `npm run crash-test [rounds] [seed]`: kills the server with SIGKILL at random moments under a mixed load of API
// writes and pushes, starts it again, and checks that nothing acknowledged is lost and nothing is half visible.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, project } from "../../infra/local/bundle.mjs";

const built = await bundle({ "crash-test": "tests/faults/crash-test.ts" });
const { runCrashTest } = await import(pathToFileURL(join(built, "crash-test.mjs")).href);
const [rounds = "30", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const result = await runCrashTest({ project, rounds: Number(rounds), seed: Number(seed) });
console.log(JSON.stringify(result, undefined, 2));
process.exit(result.problems.length === 0 ? 0 : 1);
