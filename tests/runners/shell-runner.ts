import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { git } from "#tests/git/http/real-git";
import type { JsonValue } from "#tests/support/api";
import type { Encoding } from "./client.ts";
import type { TestRunner } from "./make.ts";

/** A task as JSON or protobuf gave it. */
type Task = JsonValue;

/** The payload's text: bytes come in base64 in JSON. */
const payloadOf = ({ workflowPayload }: Task, encoding: Encoding): string =>
  Buffer.from(workflowPayload, encoding === "application/json" ? "base64" : "utf8").toString("utf8");

interface Ran {
  readonly code: number;
  readonly lines: string[];
}

function shell(script: string, folder: string, env: Record<string, string>): Promise<Ran> {
  const child = spawn("/bin/sh", ["-e", "-c", script], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => pieces.push(piece));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const text = Buffer.concat(pieces).toString("utf8");
      resolve({ code: code ?? -1, lines: text.split("\n").slice(0, -1) });
    });
  });
}

/** Writes what a step's output file says, `name=value` in each line. */
const outputsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

/**
 * Takes one task and does what it says, as a runner would: `run` steps in a shell, and a checkout by git with the task's
 * token. Reports each step with its lines; answers false when there was nothing to do. All outputs of steps are the
 * job's.
 */
export async function workOnce(runner: TestRunner, serverUrl: string, encoding: Encoding): Promise<boolean> {
  const call = async (method: string, values: object) => {
    const answer = await runner.call(method, values as never, { encoding });
    if (answer.status !== 200) throw new Error(`${method}: ${answer.status} ${answer.code}`);
    return answer.message;
  };
  const isJson = encoding === "application/json";
  const result = (ok: boolean) => (isJson ? `RESULT_${ok ? "SUCCESS" : "FAILURE"}` : ok ? 1 : 2);
  const now = isJson ? "2030-01-02T03:04:05Z" : { seconds: 1_893_553_445 };
  const { task } = await call("FetchTask", { tasksVersion: 0 });
  if (task === undefined) return false;
  const [job] = Object.values<JsonValue>(parse(payloadOf(task, encoding)).jobs);
  const folder = await mkdtemp(join(tmpdir(), "coldforge-job-"));
  const outputFile = join(folder, ".outputs");
  await writeFile(outputFile, "");
  const needed = Object.entries<JsonValue>(task.needs ?? {}).flatMap(([key, { outputs = {} }]) =>
    Object.entries<string>(outputs).map(([name, value]) => [`NEEDS_${key}_${name}`, value] as const),
  );
  const env = { ...task.vars, ...task.secrets, ...Object.fromEntries(needed), GITHUB_OUTPUT: outputFile };
  const steps: object[] = [];
  let index = 0;
  let isFine = true;
  for (const [place, step] of job.steps.entries()) {
    const ran: Ran = isFine ? await perform(step, folder, env, serverUrl) : { code: 0, lines: [] };
    const rows = ran.lines.map((content) => ({ time: now, content }));
    await call("UpdateLog", { taskId: task.id, index, rows });
    const span = { startedAt: now, stoppedAt: now, logIndex: index, logLength: rows.length };
    steps.push({ id: place, result: result(ran.code === 0), ...span });
    index += rows.length;
    isFine &&= ran.code === 0;
    await call("UpdateTask", { state: { id: task.id, startedAt: now, steps } });
  }
  await call("UpdateLog", { taskId: task.id, index, rows: [], noMore: true });
  const outputs = outputsIn(await readFile(outputFile, "utf8"));
  const state = { id: task.id, result: result(isFine), startedAt: now, stoppedAt: now, steps };
  await call("UpdateTask", { state, outputs });
  await rm(folder, { recursive: true });
  return true;
}

async function perform(
  step: JsonValue,
  folder: string,
  env: Record<string, string>,
  serverUrl: string,
): Promise<Ran> {
  if (step.uses === undefined) return shell(step.run, folder, env);
  const url = new URL(`${serverUrl}/${step.with.repository}.git`);
  url.username = "x-access-token";
  url.password = env.GITHUB_TOKEN ?? "";
  await git(folder, ["clone", "-q", url.href, "code"]);
  return { code: 0, lines: [`checked out ${step.with.repository}`] };
}
