import { deepEqual, equal, match } from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../support/process/server-process.ts";
import { type Json, type Member, makeMember } from "./team.ts";

/** What the jobs use: a script that has the toolkit at `module` do something. */
interface Toolkit {
  readonly script: string;
  readonly module: string;
}

interface World {
  readonly url: string;
  readonly alice: Member;
  readonly toolkit: Toolkit;
  /** The run of this number once it is over, with its jobs. */
  readonly ended: (number: number) => Promise<{ readonly run: Json; readonly jobs: readonly Json[] }>;
  readonly log: (job: Json) => Promise<string>;
}

const base = "/repos/alice/app";

/** Has two runners of `program` work for a repository, one of each encoding; prints what held, throws at what doesn't. */
export async function playRunner(project: string, program: string, module: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-clients-"));
  const server = await startServer({ project });
  const runners: ChildProcess[] = [];
  try {
    const alice = await makeMember(server, "alice", folder);
    await alice.call("POST", "/user/repos", { name: "app", private: true });
    await alice.call("PATCH", base, { has_actions: true });
    await alice.call("PUT", `${base}/actions/secrets/WORD`, { data: "open-sesame" });
    await alice.call("POST", `${base}/actions/variables/TONE`, { value: "friendly" });
    const { token } = await alice.call("POST", `${base}/actions/runners/registration-token`);
    for (const encoding of ["proto", "json"]) {
      const jobs = join(folder, encoding);
      mkdirSync(jobs);
      const options = ["-url", server.url, "-token", token, "-label", encoding, "-folder", jobs];
      runners.push(
        spawn(program, [...options, ...(encoding === "json" ? ["-json"] : [])], { stdio: "inherit" }),
      );
    }
    const toolkit = { script: join(project, "tests", "clients", "artifact-job.mjs"), module };
    const log: World["log"] = async ({ id }) => {
      const headers = { authorization: `token ${alice.token}` };
      const answer = await fetch(`${server.url}/api/v1${base}/actions/jobs/${id}/logs`, { headers });
      equal(answer.status, 200);
      return answer.text();
    };
    const world: World = {
      url: server.url,
      alice,
      toolkit,
      log,
      ended: (number) => ended(alice, number),
    };
    for (const [title, step] of steps) {
      await step(world);
      console.log(`ok: ${title}`);
    }
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    for (const runner of runners) runner.kill();
    await Promise.all(runners.map((runner) => runner.exitCode ?? once(runner, "exit")));
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const isOver = ({ status }: Json) => !["waiting", "running", "blocked"].includes(status);

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 90_000; Date.now() < end; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what}: not within a minute and a half`);
}

/** The run of this number, when it fits. */
const runOf = (alice: Member, number: number, fits: (run: Json) => boolean): Promise<Json> =>
  until(`run ${number}`, async () => {
    const { workflow_runs } = await alice.call("GET", `${base}/actions/runs?run_number=${number}`);
    const [run] = workflow_runs;
    return run !== undefined && fits(run) ? run : undefined;
  });

const jobsOf = async (alice: Member, { id }: Json): Promise<readonly Json[]> =>
  (await alice.call("GET", `${base}/actions/runs/${id}/jobs`)).jobs;

async function ended(alice: Member, number: number) {
  const run = await runOf(alice, number, isOver);
  return { run, jobs: await jobsOf(alice, run) };
}

const steps: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ["runs two jobs of which one needs the other: checkout, outputs, artifact, logs, masked secret", twoJobs],
  ["a step that fails ends its job: later steps and the job that needs it are skipped", failing],
  ["a run that is cancelled stops its step, and the runner takes the next job", cancelled],
];

const path = ".forgejo/workflows/ci.yml";
const pushWorkflow = (alice: Member, text: string): Promise<void> =>
  alice.push("app", { [path]: `on: push\njobs:\n${text}` });

async function twoJobs({ url, alice, toolkit, ended, log }: World): Promise<void> {
  await alice.push("app", { "README.md": "An app\n" });
  const node = `GITHUB_SERVER_URL=http://forge.localhost ${process.execPath} ${toolkit.script} ${toolkit.module}`;
  const { protocol: scheme, host } = new URL(url);
  await pushWorkflow(
    alice,
    `  build:
    runs-on: proto
    outputs: {word: "\${{ steps.say.outputs.word }}"}
    steps:
      - run: |
          git clone -q "${scheme}//x:\${{ github.token }}@${host}/\${{ github.repository }}.git" code
          test "$(git -C code rev-parse HEAD)" = "\${{ github.sha }}"
          cat code/README.md
      - id: say
        name: Say a word
        run: |
          echo "word=plugh" >> "$GITHUB_OUTPUT"
          echo "the secret is \${{ secrets.WORD }}, the tone \${{ vars.TONE }}"
      - run: ${node} upload readme code code/README.md
  use:
    needs: build
    runs-on: json
    steps:
      - run: echo "build ended with \${{ needs.build.result }} and said \${{ needs.build.outputs.word }}"
      - run: |
          ${node} download readme got
          grep -q "An app" got/README.md
`,
  );
  const { run, jobs } = await ended(1);
  const [build, use] = jobs;
  if (run.conclusion !== "success") console.log(await log(build), use?.runner_id ? await log(use) : "");
  deepEqual(
    jobs.map(({ name, conclusion }) => [name, conclusion]),
    [
      ["build", "success"],
      ["use", "success"],
    ],
  );
  deepEqual(
    build.steps.map((step: Json) => step.conclusion),
    ["success", "success", "success"],
  );
  equal(build.steps[1].name, "Say a word");
  const said = await log(build);
  match(said, /Z An app$/m);
  match(said, /the secret is \*\*\*, the tone friendly/);
  equal(said.includes("open-sesame"), false);
  match(await log(use), /build ended with success and said plugh/);
  const { artifacts } = await alice.call("GET", `${base}/actions/artifacts`);
  deepEqual(
    artifacts.map(({ name }: Json) => name),
    ["readme"],
  );
  const status = await until("statuses", async () => {
    const all = await alice.call("GET", `${base}/commits/${run.head_sha}/status`);
    return all.state === "success" ? all : undefined;
  });
  equal(status.statuses.length, 2);
}

async function failing({ alice, ended, log }: World): Promise<void> {
  await pushWorkflow(
    alice,
    `  build:
    runs-on: json
    steps:
      - run: echo before
      - run: exit 3
      - run: echo never
  use: {needs: build, runs-on: proto, steps: [{run: echo never}]}
`,
  );
  const { run, jobs } = await ended(2);
  equal(run.conclusion, "failure");
  deepEqual(
    jobs.map(({ conclusion }) => conclusion),
    ["failure", "skipped"],
  );
  deepEqual(
    jobs[0].steps.map((step: Json) => step.conclusion),
    ["success", "failure", "skipped"],
  );
  match(await log(jobs[0]), /Z before$/m);
}

async function cancelled({ alice, ended, log }: World): Promise<void> {
  await pushWorkflow(alice, "  long: {runs-on: proto, steps: [{run: echo begun && sleep 600}]}\n");
  const run = await runOf(alice, 3, ({ status }) => status === "running");
  const [job] = await jobsOf(alice, run);
  await until("the first line", async () => (/Z begun$/m.test(await log(job)) ? true : undefined));
  await alice.call("POST", `${base}/actions/runs/${run.id}/cancel`);
  await pushWorkflow(alice, "  next: {runs-on: proto, steps: [{run: echo after}]}\n");
  const after = await ended(4);
  equal(after.run.conclusion, "success");
  const [stopped] = await jobsOf(alice, run);
  deepEqual([stopped.conclusion, stopped.steps[0].conclusion], ["cancelled", "cancelled"]);
}
