// The engines that `npm run test:engines` runs tests on: where their programs come from, how each starts, and which
// tests speak to it (those that make a table are found by `table-tests.ts`).
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { project, refuse } from "../../infra/local/bundle.mjs";

const cache = join(project, ".build", "engines");
const startWithinMs = 60_000;

export const engines = {
  dynamodb: {
    title: "Amazon's DynamoDB Local",
    pom: "dynamodb-local",
    variable: "TEST_DYNAMODB_ENDPOINT",
    command: (jars, port) => [
      `-Djava.library.path=${jars}`,
      ...["-cp", join(jars, "*"), "software.amazon.dynamodb.services.local.main.ServerRunner"],
      ...["-inMemory", "-disableTelemetry", "-port", String(port)],
    ],
    // It counts one item of a transaction alone, whichever, and absent keys of a batch not at all.
    explained: [
      "tell the units of",
      "requests and consumed units of each operation",
      "15 write units",
      "costs as much however many watch",
      "looks into 25 of those that a user watches",
      "costs one read, and a write every half minute",
      "takes 25 requests, whatever the repository holds",
      "take 12 and 13 requests, whatever the repository holds",
      "requests and 17 w to book",
      "a file of one part: one write in S3, 7 requests on an issue",
      "cost nothing on success: no write, and one request once the login is known",
    ],
  },
  sqs: {
    title: "ElasticMQ",
    pom: "elasticmq",
    variable: "TEST_SQS_ENDPOINT",
    command: (jars, port) => [
      `-Dconfig.file=${elasticmqSettings(port)}`,
      ...["-cp", join(jars, "*"), "org.elasticmq.server.Main"],
    ],
    // It refuses to delete twice, takes empty batches, shows messages that nobody works on, moves a message to its dead
    // letters only when the queue is asked anew, and lives by its own clock.
    explained: [
      "accept the deletion of what is already deleted",
      "refuse empty, long and ambiguous batches",
      "is refused for a message that nobody works on",
      "and to the dead-letter queue at last",
      "a delayed message is not there at once",
    ],
    // Code that sends to queues, receives from them, hides messages and makes dead letters of them.
    tests: [
      ...[
        "tests/infra/local/sqs/sqs.conformance",
        "tests/infra/local/dead-letters",
        "tests/infra/local/worker-loop",
      ],
      ...["tests/core/queues.test", "tests/core/events/outbox.test", "tests/workers/"],
    ],
  },
};

/** Starts an engine; answers its endpoint, how to end it, and its version as its program file tells it. */
export async function startEngine({ title, pom, command }) {
  const jars = fetchJars(pom, title);
  const port = await freePort();
  const child = spawn("java", command(jars, port), { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output = (output + chunk).slice(-4000);
    });
  }
  const endpoint = `http://127.0.0.1:${port}`;
  for (const startedAt = Date.now(); ; await pause(100)) {
    if (await fetch(endpoint).catch(() => undefined)) break;
    if (child.exitCode === null && Date.now() - startedAt < startWithinMs) continue;
    child.kill("SIGKILL");
    refuse(`${title} did not start:\n${output}`);
  }
  return { endpoint, stop: () => child.kill("SIGKILL") };
}

/** The engine's program and what it needs, from Maven Central, once. */
function fetchJars(pom, title) {
  const file = join(project, "tests", "engines", `${pom}.pom.xml`);
  const version = /<\/artifactId>\s*<version>([^<]+)<\/version>\s*<\/dependency>/.exec(
    readFileSync(file, "utf8"),
  )[1];
  const folder = join(cache, `${pom}-${version}`);
  if (existsSync(folder)) return folder;
  requireTools(title);
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "fetching-"));
  try {
    const goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${draft}`];
    execFileSync("mvn", ["-q", "-B", "-f", file, ...goal], { stdio: ["ignore", "inherit", "inherit"] });
  } catch {
    rmSync(draft, { recursive: true, force: true });
    refuse(`${title} could not be fetched from Maven Central: see what Maven says above.`);
  }
  renameSync(draft, folder);
  return folder;
}

function requireTools(title) {
  for (const [tool, argument] of [
    ["java", "-version"],
    ["mvn", "--version"],
  ]) {
    try {
      execFileSync(tool, [argument], { stdio: "ignore" });
    } catch {
      refuse(
        `${title} needs ${tool}: install Java 17 or later and Maven (openjdk-17-jre-headless and maven).`,
      );
    }
  }
}

function elasticmqSettings(port) {
  const path = join(cache, "elasticmq.conf");
  const address = `protocol = http, host = "127.0.0.1", port = ${port}, context-path = ""`;
  const server = `enabled = true, bind-port = ${port}, bind-hostname = "127.0.0.1", sqs-limits = strict`;
  writeFileSync(
    path,
    `node-address { ${address} }\nrest-sqs { ${server} }\nrest-stats { enabled = false }\nqueues { }\n`,
  );
  return path;
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
