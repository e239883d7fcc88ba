import { deepEqual, equal, match } from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "../support/process/server-process.ts";
import { type Json, type Member, makeMember } from "./team.ts";

const run = promisify(execFile);

const workflow = `
on: push
jobs:
  build: {runs-on: here, steps: [{run: make}]}
  use: {needs: [build], runs-on: here, steps: [{run: use}]}
`;

interface World {
  readonly alice: Member;
  readonly folder: string;
  readonly runner: Runner;
  /** Has the toolkit do something as a step of the job that a runner took; answers what it said. */
  readonly toolkit: (task: Json, act: string, name: string, ...more: string[]) => Promise<Json>;
}

/** A runner's calls, in JSON. */
interface Runner {
  call(method: string, message: object): Promise<Json>;
  /** The next job, once there is one. */
  take(): Promise<Json>;
}

/** Plays a run of two jobs, of which the toolkit at `module` is a step; prints what held, throws at what doesn't. */
export async function playArtifacts(project: string, module: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-clients-"));
  const server = await startServer({ project });
  try {
    const alice = await makeMember(server, "alice", folder);
    await alice.call("POST", "/user/repos", { name: "app" });
    await alice.call("PATCH", "/repos/alice/app", { has_actions: true });
    const runner = await register(server.url, alice);
    const toolkit: World["toolkit"] = async (task, act, name, ...more) => {
      const env = {
        ...{ PATH: process.env.PATH, HOME: folder, RUNNER_TEMP: folder, GITHUB_WORKSPACE: folder },
        ACTIONS_RUNTIME_TOKEN: task.context.gitea_runtime_token,
        ACTIONS_RESULTS_URL: server.url,
        // Elsewhere than at GitHub the toolkit refuses to work, except at hosts of this ending.
        GITHUB_SERVER_URL: "http://forge.localhost",
      };
      const script = join(project, "tests", "clients", "artifact-job.mjs");
      const { stdout } = await run(process.execPath, [script, module, act, name, ...more], { env });
      return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "{}");
    };
    const world: World = { alice, folder, runner, toolkit };
    for (const [title, step] of steps) {
      await step(world);
      console.log(`ok: ${title}`);
    }
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function register(url: string, alice: Member): Promise<Runner> {
  const { token } = await alice.call("POST", "/repos/alice/app/actions/runners/registration-token");
  const post = async (method: string, message: object, headers: Record<string, string>) => {
    const answer = await fetch(`${url}/api/actions/runner.v1.RunnerService/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(message),
    });
    if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<Json>;
  };
  const { runner } = await post("Register", { name: "here", token, labels: ["here"] }, {});
  const call: Runner["call"] = (method, message) =>
    post(method, message, { "x-runner-uuid": runner.uuid, "x-runner-token": runner.token });
  return {
    call,
    async take() {
      for (const end = Date.now() + 60_000; Date.now() < end; ) {
        const { task } = await call("FetchTask", { tasksVersion: "0" });
        if (task !== undefined) return task;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      throw new Error("no job came within a minute");
    },
  };
}

const steps: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ["uploads 20 MB in blocks, finds it again in the job that needs this one, and deletes it", passOn],
  ["uploads a name anew, and tells at once what is not there", again],
];

const end = (runner: Runner, { id }: Json) =>
  runner.call("UpdateTask", { state: { id, result: "RESULT_SUCCESS" } });

async function passOn({ alice, folder, runner, toolkit }: World): Promise<void> {
  await alice.push("app", { "README.md": "An app\n" });
  await alice.push("app", { ".forgejo/workflows/ci.yml": workflow });
  const build = await runner.take();
  const large = randomBytes(20_000_000);
  const files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "large.bin"), large);
  writeFileSync(join(files, "words.txt"), "words\n");
  const paths = ["large.bin", "words.txt"].map((name) => join(files, name));
  const uploaded = await toolkit(build, "upload", "files", files, ...paths);
  equal(uploaded.error, undefined);
  await end(runner, build);
  const use = await runner.take();
  equal((await toolkit(use, "list", "")).artifacts.length, 1);
  const got = await toolkit(use, "download", "files", join(folder, "got"));
  deepEqual([got.id, got.name, got.size], [uploaded.id, "files", uploaded.size]);
  deepEqual(readFileSync(join(folder, "got", "large.bin")), large);
  equal(readFileSync(join(folder, "got", "words.txt"), "utf8"), "words\n");
  const { artifacts } = await alice.call("GET", "/repos/alice/app/actions/artifacts");
  deepEqual([artifacts.length, artifacts[0].size_in_bytes], [1, uploaded.size]);
  equal((await toolkit(use, "delete", "files")).id, uploaded.id);
  deepEqual((await toolkit(use, "list", "")).artifacts, []);
  await end(runner, use);
}

async function again({ alice, folder, runner, toolkit }: World): Promise<void> {
  await alice.push("app", { "README.md": "The app\n" });
  const build = await runner.take();
  const words = join(folder, "files", "words.txt");
  for (const text of ["first", "second"]) {
    writeFileSync(words, text);
    equal((await toolkit(build, "upload", "words", join(folder, "files"), words)).error, undefined);
  }
  equal((await toolkit(build, "download", "words", join(folder, "again"))).error, undefined);
  equal(readFileSync(join(folder, "again", "words.txt"), "utf8"), "second");
  match((await toolkit(build, "delete", "nothing")).error, /not found/i);
  await end(runner, build);
  equal((await toolkit(build, "list", "")).artifacts, undefined);
}
