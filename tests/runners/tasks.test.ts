import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { jobId } from "#core/actions/actions.table";
import { cancelRun } from "#core/actions/job/end-job";
import { findTask } from "#core/actions/run/run";
import { makeRepository } from "#tests/support/code";
import { encodings } from "./client.ts";
import { job, makeRunner } from "./make.ts";
import { tasksPlace } from "./tasks-place.ts";

const place = tasksPlace();
const { own, run, fetch, stateOf, logOf } = place;

describe("FetchTask (semantics §60.3, §61)", () => {
  it.each(encodings)("in %s gives a waiting job with all that it needs, once", async (encoding) => {
    await place.api.call("PUT", `/repos/olga/r${place.made}/actions/secrets/password`, {
      as: place.owner,
      body: { data: "sesame" },
    });
    await place.api.call("POST", `/repos/olga/r${place.made}/actions/variables/color`, {
      as: place.owner,
      body: { value: "red" },
    });
    const [runner, made1] = [await own(), await run()];
    const { status, message } = await runner.call("FetchTask", { tasksVersion: 0 }, { encoding });
    expect(status).toBe(200);
    const { task, tasksVersion } = message;
    expect([Number(task.id), Number(tasksVersion)]).toEqual([jobId(place.repository.id, 1), 2]);
    const payload = parse(
      Buffer.from(task.workflowPayload, encoding === "application/json" ? "base64" : "utf8").toString("utf8"),
    );
    expect(payload).toMatchObject({ name: "ci", on: "push", env: { GREETING: "hello" } });
    expect(payload.jobs).toEqual({
      build: {
        name: "build (1)",
        "runs-on": ["linux"],
        strategy: { matrix: { size: [1] } },
        steps: [{ run: "echo one\necho two\n" }, { name: "second", uses: "actions/checkout@v4" }],
      },
    });
    const token = task.secrets.GITHUB_TOKEN;
    expect(token).toMatch(/^[0-9a-f]{40}$/);
    expect(task.secrets).toEqual({
      ...{ PASSWORD: "sesame", GITHUB_TOKEN: token, GITEA_TOKEN: token, FORGEJO_TOKEN: token },
    });
    expect(task.vars).toEqual({ COLOR: "red" });
    if (encoding === "application/json") {
      expect(task.context).toMatchObject({
        ...{ actor: "olga", event_name: "push", job: "build", ref: "refs/heads/main", ref_name: "main" },
        ...{
          ref_type: "branch",
          ref_protected: false,
          repository: `olga/r${place.made}`,
          repository_owner: "olga",
        },
        ...{ run_id: String(made1.id), run_number: "1", run_attempt: "1", sha: "a".repeat(40), token },
        ...{ api_url: "http://127.0.0.1:3000/api/v1", server_url: "http://127.0.0.1:3000/" },
        ...{ workflow: "ci.yml", event: { nested: { list: [1, "a", null] } } },
      });
    }
    expect(await stateOf(made1)).toBe("running");
    const again = await fetch(runner);
    expect([again.task, Number(again.tasksVersion)]).toEqual([undefined, 2]);
  });

  it("gives no task to a runner that knows the counter; it moves when another job waits (60.6-3)", async () => {
    const runner = await own();
    const first = await fetch(runner);
    expect([first.task, Number(first.tasksVersion)]).toEqual([undefined, 1]);
    await run();
    const known = await runner.call("FetchTask", { tasksVersion: 2 });
    expect([known.message.task, Number(known.message.tasksVersion)]).toEqual([undefined, 2]);
    const next = await fetch(runner, 1);
    expect([next.task === undefined, Number(next.tasksVersion)]).toEqual([false, 2]);
  });

  it("looks every half minute, even when the counter never moved", async () => {
    const runner = await own();
    await fetch(runner);
    await run();
    place.api.clock.advance(30_000);
    expect((await fetch(runner, 2)).task).toBeDefined();
  });

  it("keeps jobs for those who may take them: by label, level, and switch (60.6-4)", async () => {
    const other = await place.api.makeUser();
    const elsewhere = { id: await makeRepository(place.api, other, "theirs"), ownerId: other.user.id };
    const label = `only-${place.made}`;
    const others = [
      await own(["docker"]),
      await makeRunner(place.api, { kind: "repository", ...elsewhere }, [label]),
      await makeRunner(place.api, { kind: "user", id: other.user.id }, [label]),
    ];
    const off = await own([label]);
    const path = `/repos/olga/r${place.made}/actions/runners/${off.id}`;
    await place.api.call("PATCH", path, { as: place.owner, body: { disabled: true } });
    await run([job("after", { runsOn: [label] })]);
    for (const runner of [...others, off]) expect((await fetch(runner)).task).toBeUndefined();
    await place.api.call("PATCH", path, { as: place.owner, body: { disabled: false } });
    expect((await fetch(off)).task).toBeDefined();
    for (const level of [{ kind: "user", id: place.owner.user.id }, { kind: "global" }] as const) {
      await run([job("after", { runsOn: [label] })]);
      expect((await fetch(await makeRunner(place.api, level, [label]))).task).toBeDefined();
    }
  });

  it("gives a former owner's runner nothing after a transfer, and no secrets to a fork's request (61-2)", async () => {
    const runner = await own([`kept-${place.made}`]);
    await place.api.call("PUT", "/user/actions/secrets/hidden", { as: place.owner, body: { data: "x" } });
    await run([job("after", { runsOn: [`kept-${place.made}`] })], {
      isFromFork: true,
      event: "pull_request",
    });
    const { task } = await fetch(runner);
    expect(Object.keys(task.secrets).sort()).toEqual(["FORGEJO_TOKEN", "GITEA_TOKEN", "GITHUB_TOKEN"]);
    await place.api.call("POST", "/orgs", { as: place.owner, body: { username: `org-${place.made}` } });
    const body = { new_owner: `org-${place.made}` };
    expect(
      (await place.api.call("POST", `/repos/olga/r${place.made}/transfer`, { as: place.owner, body })).status,
    ).toBe(202);
    await run([job("after", { runsOn: [`kept-${place.made}`] })]);
    expect((await fetch(runner)).task).toBeUndefined();
  });

  it("an idle one costs one read, and a write every half minute", async () => {
    const runner = await own();
    await fetch(runner);
    const idle = async () =>
      (await runner.call("FetchTask", { tasksVersion: 1 })).headers.get("server-timing");
    const one = 'table;desc="1 requests, 2 read and 0 write units", objects;desc="0 reads, 0 writes"';
    expect(await idle()).toBe(one);
    place.api.clock.advance(29_000);
    expect(await idle()).toBe(one);
    place.api.clock.advance(1_000);
    expect(await idle()).toContain("1 write units");
    expect(await idle()).toBe(one);
  });
});

describe("UpdateTask (semantics §60.3)", () => {
  const result = (message: { state: { result?: string } }) => message.state.result ?? "RESULT_UNSPECIFIED";

  it("keeps steps, ends the job, and wakes those that need it, with its outputs (61-3)", async () => {
    const runner = await own();
    const after = job("after", { needs: ["build"] });
    const whole = await run([job("build", { name: "build (1)", matrix: { size: 1 } }), after]);
    const { task } = await fetch(runner);
    const time = "2030-01-02T03:04:05Z";
    const state = {
      id: task.id,
      startedAt: time,
      steps: [{ id: "0", startedAt: time, logIndex: "0", logLength: "2" }],
    };
    const running = await runner.call("UpdateTask", { state, outputs: { a: "1" } });
    expect([result(running.message), running.message.sentOutputs]).toEqual(["RESULT_UNSPECIFIED", ["a"]]);
    const number = whole.jobs[0]?.number ?? 0;
    expect((await findTask(place.api.forge, place.repository.id, number))?.steps).toMatchObject([
      { name: "Run echo one", state: "running", lines: 2 },
      { name: "second", state: "waiting" },
    ]);
    const steps = [
      { id: "0", result: "RESULT_SUCCESS", startedAt: time, stoppedAt: time },
      { id: "1", result: "RESULT_SKIPPED", startedAt: time, stoppedAt: time },
    ];
    const last = { id: task.id, result: "RESULT_SUCCESS", startedAt: time, stoppedAt: time, steps };
    const outputs = { a: "2", b: "3", ["x".repeat(256)]: "4" };
    const ended = await runner.call("UpdateTask", { state: last, outputs });
    expect([result(ended.message), ended.message.sentOutputs]).toEqual(["RESULT_SUCCESS", ["a", "b"]]);
    expect([await stateOf(whole), await stateOf(whole, 1)]).toEqual(["success", "waiting"]);
    const again = await runner.call("UpdateTask", { state: { ...last, result: "RESULT_FAILURE" } });
    expect([result(again.message), await stateOf(whole)]).toEqual(["RESULT_SUCCESS", "success"]);
    const next = await fetch(runner);
    expect(next.task.needs).toEqual({ build: { outputs: { a: "1", b: "3" }, result: "RESULT_SUCCESS" } });
  });

  it("tells a runner of a cancellation, and leaves the job cancelled (60.6-6)", async () => {
    const runner = await own();
    const whole = await run();
    const { task } = await fetch(runner);
    await cancelRun(place.api.forge, whole);
    const still = await runner.call("UpdateTask", { state: { id: task.id } });
    expect(result(still.message)).toBe("RESULT_CANCELLED");
    const done = await runner.call("UpdateTask", { state: { id: task.id, result: "RESULT_SUCCESS" } });
    expect([result(done.message), await stateOf(whole)]).toEqual(["RESULT_CANCELLED", "cancelled"]);
  });

  it("404: another runner's task, and none; 400: no state, numbers that count nothing", async () => {
    const [runner, other] = [await own(), await own()];
    const whole = await run();
    const { task } = await fetch(runner);
    const answers = [
      await other.call("UpdateTask", { state: { id: task.id, result: "RESULT_SUCCESS" } }),
      await other.call("UpdateLog", { taskId: task.id, index: "0", rows: [{ content: "x" }] }),
      await runner.call("UpdateTask", { state: { id: String(Number(task.id) + 1) } }),
      await runner.call("UpdateLog", { taskId: "0" }),
      await runner.call("UpdateTask", {}),
      await runner.call("UpdateTask", { state: { id: "-1" } }),
      await runner.call("UpdateLog", { taskId: task.id, index: "9223372036854775807" }),
    ];
    expect(answers.map(({ code }) => code)).toEqual([
      ...Array(4).fill("not_found"),
      ...Array(3).fill("invalid_argument"),
    ]);
    expect([await stateOf(whole), await logOf(Number(task.id))]).toEqual(["running", ""]);
  });

  it("removes an ephemeral runner with its one job, once the log is whole", async () => {
    const runner = await own(["linux"], { ephemeral: true });
    await run();
    await run();
    const [one, two] = await Promise.all([fetch(runner), fetch(runner)]);
    const taken = [one.task, two.task].filter((task) => task !== undefined);
    expect(taken).toHaveLength(1);
    expect((await fetch(runner)).task).toBeUndefined();
    const [{ id }] = taken;
    await runner.call("UpdateTask", { state: { id, result: "RESULT_SUCCESS" } });
    expect(
      (await runner.call("UpdateLog", { taskId: id, rows: [{ content: "x" }], noMore: true })).code,
    ).toBeUndefined();
    expect((await runner.call("FetchTask", {})).code).toBe("unauthenticated");
  });
});

describe("UpdateLog (semantics §60.3)", () => {
  const rows = (...lines: string[]) =>
    lines.map((content, at) => ({ time: `2030-01-02T03:04:05.00000000${at}Z`, content }));

  it("takes what is new, from where it stands, and closes (60.6-5)", async () => {
    const runner = await own();
    await run();
    const { id } = (await fetch(runner)).task;
    const told = async (index: number, lines: string[], noMore = false) => {
      const given = { taskId: id, index: String(index), rows: rows(...lines), noMore };
      const { code, message } = await runner.call("UpdateLog", given);
      return code ?? Number(message.ackIndex ?? 0);
    };
    expect(await told(0, ["a", "b"])).toBe(2);
    expect(await told(1, ["b", "c\nd"])).toBe(3);
    expect(await told(9, ["late"])).toBe(3);
    expect(await told(3, [], true)).toBe(3);
    expect(await told(3, ["after"])).toBe("already_exists");
    expect(await told(0, ["a"])).toBe(3);
    expect(await logOf(Number(id))).toBe(
      ["0000000Z a", "0000000Z b", "0000000Z c d"].map((line) => `2030-01-02T03:04:05.${line}\n`).join(""),
    );
  });

  it("cuts a line at 64 KiB, and a time that no calendar has", async () => {
    const runner = await own();
    await run();
    const { id } = (await fetch(runner)).task;
    await runner.call("UpdateLog", { taskId: id, rows: [{ content: "x".repeat(200_000) }] });
    expect((await logOf(Number(id))).length).toBe("1970-01-01T00:00:00.0000000Z ".length + 65_536 + 1);
  });
});
