import { expect } from "vitest";
import { updateJobState } from "#core/actions/job/end-job";
import type { JobEnd } from "#core/actions/job/job-states";
import { claimJob } from "#core/actions/queue/claim-job";
import { readPlans } from "#core/actions/schedule/plans";
import { tick } from "#functions/workers/tick";
import { finishEvents } from "#tests/api/repository/furnish";
import { RepositoryWorld, startWorld } from "#tests/api/repository/world";
import type { Caller, JsonValue } from "#tests/support/api";
import { type PushedFiles, pushFiles } from "#tests/support/code";

/** A workflow with one job that a runner of the label `docker` runs. */
export const workflow = (on: string, job = "runs-on: docker\n    steps: [{run: 'true'}]"): string =>
  `name: CI\non: ${on}\njobs:\n  build:\n    ${job}\n`;
export const everyFive = "\n  schedule:\n    - cron: '*/5 * * * *'";

/** The place of tests of workflows: for each test (`begin`) a repository of the owner's, without simulated faults. */
export class RunWorld extends RepositoryWorld {
  readonly stranger = this.reader;

  /** The same of something that must succeed. */
  async json(method: string, path: string, body?: object, as?: Caller): Promise<JsonValue> {
    const answer = await this.call(method, path, body, as);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer.json;
  }

  /** Pushes, and lets everything follow. */
  async push(files: PushedFiles["files"], more: Omit<PushedFiles, "files"> = {}): Promise<string> {
    const id = await pushFiles(this.api, this.owner, this.name, { files, ...more });
    await this.finish();
    return id;
  }

  finish(): Promise<void> {
    return finishEvents(this.api);
  }

  /** Lets minutes pass, with a tick at the end. */
  async pass(minutes: number): Promise<void> {
    this.api.clock.advance(minutes * 60_000);
    await tick(this.api.forge);
    await this.finish();
  }

  async patch(changes: object): Promise<void> {
    await this.json("PATCH", "", changes);
  }

  /** `event state` of each run, the newest first. */
  async runs(query = ""): Promise<string[]> {
    const { workflow_runs: runs } = await this.json("GET", `actions/runs${query}`);
    return runs.map(({ event, status }: { event: string; status: string }) => `${event} ${status}`);
  }

  async newest(): Promise<JsonValue> {
    return (await this.json("GET", "actions/runs?limit=1")).workflow_runs[0];
  }

  async crons(): Promise<string[]> {
    const { plans } = await readPlans(this.api.forge, this.id);
    return plans?.specs.map(({ cron }) => cron) ?? [];
  }

  /** A runner takes a job and ends it; answers its name. */
  async work(end: JobEnd = "success", labels = ["docker"]): Promise<string | undefined> {
    const level = { kind: "repository", repositoryId: this.id } as const;
    const claimed = await claimJob(this.api.forge, { runnerId: 1, level, labels });
    if (claimed === undefined) return undefined;
    const place = { repositoryId: this.id, runNumber: claimed.run.number, jobNumber: claimed.job.number };
    await updateJobState(this.api.forge, place, end);
    await this.finish();
    return claimed.job.name;
  }
}

export async function startRuns(settings: Record<string, string> = {}): Promise<RunWorld> {
  return new RunWorld(...(await startWorld(settings, "sten")));
}
