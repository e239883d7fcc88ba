// `npm run test:engines [dynamodb|sqs] [-- arguments of vitest]`: runs all quick tests that make a table on Amazon's own
// engine instead of the stand-in, and those of the queues on ElasticMQ. Explained differences are left out by their
// titles. Its results: docs/verification.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { bundle, project, refuse } from "../../infra/local/bundle.mjs";
import { engines, startEngine } from "./engines.mjs";

const words = process.argv.slice(2);
if (words.some((word) => word === "--help" || word === "-h")) {
  console.log(
    "npm run test:engines [-- dynamodb|sqs [file …]]   runs tests on other engines than the stand-ins",
  );
  process.exit(0);
}
const [chosen, ...files] = words;
if (chosen !== undefined && !(chosen in engines)) {
  refuse(`test:engines knows ${Object.keys(engines).join(" and ")}, not ${chosen}.`);
}
let failures = 0;
for (const name of chosen === undefined ? Object.keys(engines) : [chosen]) {
  const engine = engines[name];
  const { endpoint, stop } = await startEngine(engine);
  console.log(`\n${engine.title} at ${endpoint}\n`);
  const tests = files.length > 0 ? files : (engine.tests ?? (await tableTests()));
  const explained = engine.explained.map((title) => title.replace(/[^\w ]/g, ".")).join("|");
  const others = `^(?!.*(?:${explained}))`;
  const projects = ["--project", "quick", "--project", "long"];
  const child = spawn("npx", ["vitest", "run", ...projects, "-t", others, ...tests], {
    cwd: project,
    // The engine works beside the tests: one worker less than the stand-ins stand.
    env: { VITEST_MAX_WORKERS: "2", ...process.env, [engine.variable]: endpoint },
    stdio: "inherit",
  });
  const [code] = await once(child, "close");
  stop();
  if (code !== 0) failures += 1;
}
process.exit(failures === 0 ? 0 : 1);

async function tableTests() {
  const built = await bundle({ "table-tests": "tests/engines/table-tests.ts" });
  return (await import(join(built, "table-tests.mjs"))).tableTests();
}
