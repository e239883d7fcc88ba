import { describe, expect, it } from "vitest";
import { type JobState, runStateOf, type SettledJob, settleJobs } from "#core/actions/job/job-states";

const job = (key: string, state: JobState, more: Partial<SettledJob> = {}): SettledJob => ({
  ...{ key, state, needs: [] },
  ...more,
});
const statesOf = (jobs: readonly SettledJob[]) => jobs.map(({ state }) => state);

describe("jobs that need others (semantics §64.4)", () => {
  it("a → b → c with if: a fails, b is skipped, c waits; the run has failed (semantics §64.6-4)", () => {
    const jobs = settleJobs([
      job("a", "failure"),
      job("b", "blocked", { needs: ["a"] }),
      job("c", "blocked", { needs: ["b"], hasCondition: true }),
    ]);
    expect([statesOf(jobs), runStateOf(jobs)]).toEqual([["failure", "skipped", "waiting"], "failure"]);
  });

  it("wait for every job of a matrix, and start when all have succeeded", () => {
    const needing = job("b", "blocked", { needs: ["a"] });
    const half = [job("a", "success"), job("a", "running"), needing];
    expect(statesOf(settleJobs(half))).toEqual(["success", "running", "blocked"]);
    const whole = [job("a", "success"), job("a", "success"), needing];
    expect(statesOf(settleJobs(whole))).toEqual(["success", "success", "waiting"]);
  });

  it("are no more at once than max-parallel says", () => {
    const three = [1, 2, 3].map(() => job("a", "blocked", { mostAtOnce: 2 }));
    const started = settleJobs(three);
    expect(statesOf(started)).toEqual(["waiting", "waiting", "blocked"]);
    const next = settleJobs(
      started.map((one, at) => (at === 0 ? { ...one, state: "failure" as const } : one)),
    );
    expect(statesOf(next)).toEqual(["failure", "waiting", "waiting"]);
  });

  it("250 in a row are skipped at once, and none that nobody needs is", () => {
    const chain = Array.from({ length: 250 }, (_, at) =>
      job(`j${at}`, at === 0 ? "cancelled" : "blocked", { needs: at === 0 ? [] : [`j${at - 1}`] }),
    );
    expect(new Set(statesOf(settleJobs(chain)).slice(1))).toEqual(new Set(["skipped"]));
    expect(statesOf(settleJobs([job("free", "blocked")]))).toEqual(["waiting"]);
  });
});

it("a run is as its jobs are, the worst first, and skipped jobs don't count (semantics §64.4)", () => {
  const of = (...states: JobState[]) => runStateOf(states.map((state) => ({ state })));
  expect([of("skipped", "skipped"), of("skipped", "success")]).toEqual(["skipped", "success"]);
  expect(of("running", "failure", "cancelled")).toBe("cancelled");
  expect(of("running", "failure")).toBe("failure");
  expect(of("blocked", "waiting", "running")).toBe("running");
  expect([of("blocked", "waiting"), of("blocked", "success")]).toEqual(["waiting", "blocked"]);
});
