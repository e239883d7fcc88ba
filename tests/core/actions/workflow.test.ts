import { describe, expect, it } from "vitest";
import { combine, expandJobs } from "#core/actions/workflow/expand-jobs";
import { evaluate, fillText } from "#core/actions/workflow/expression";
import { fillWorkflow, fillWorkflowTask } from "#core/actions/workflow/fill-workflow-task";
import { Filters } from "#core/actions/workflow/filters";
import { nextCronTime } from "#core/actions/workflow/internal/cron";
import { readWorkflowText } from "#core/actions/workflow/read-workflow";
import type { Workflow } from "#core/actions/workflow/workflow";
import { TaskEnded } from "#core/compute/task";

const jobs = "\njobs: {a: {runs-on: docker}}\n";
const read = (text: string): Workflow => {
  const reading = readWorkflowText(text);
  if ("problem" in reading) throw new Error(reading.problem);
  return reading.workflow;
};
const problem = (text: string): string => {
  const reading = readWorkflowText(text);
  return "problem" in reading ? reading.problem : "";
};
const triggers = (on: string) => read(`on: ${on}${jobs}`).triggers;

describe("a workflow's file", () => {
  it("says what it listens to in three forms, and more than that is nobody's (semantics §64.2)", () => {
    expect(triggers("push")).toEqual({ push: {} });
    expect(triggers("[push, pull_request, unheard_of]")).toEqual({ push: {}, pull_request: {} });
    const filters = "{push: {branches: main, tags-ignore: [v*]}, issues: {types: [opened], color: red}}";
    expect(triggers(filters)).toEqual({
      push: { branches: ["main"], tagsIgnore: ["v*"] },
      issues: { types: ["opened"], isUnknown: true },
    });
    expect(read(`on: {schedule: [{cron: "@daily"}, {}]}${jobs}`).crons).toEqual(["@daily"]);
  });

  it("says what is wrong with it", () => {
    expect(problem("[")).toContain("line");
    expect(problem("on: push")).toBe("jobs has to be a mapping");
    expect(problem(`name: x${jobs}`)).toContain("on: is missing");
    expect(problem("on: push\njobs: {a: {needs: b}}")).toBe("job a needs b, which is not there");
    expect(problem("on: push\njobs: {a: {needs: b}, b: {needs: [c]}, c: {needs: a}}")).toContain(
      "needs itself",
    );
    expect(problem("on: push\njobs: {'9 x': {}}")).toContain("is no id of a job");
    expect(problem(`on: {push: {branches: [{}]}}${jobs}`)).toBe("on.push.branches has to be text");
  });

  it("is read within bounds, whatever it says", () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, at) => {
      const [name, former] = [String.fromCharCode(98 + at), String.fromCharCode(97 + at)];
      return `${name}: &${name} [*${former},*${former},*${former},*${former},*${former},*${former},*${former}]`;
    }).join("\n")}`;
    expect(problem(`on: push\n${bomb}${jobs}`)).not.toBe("");
    expect(problem(`on: push\nx: ${"[".repeat(5_000)}${jobs}`)).toContain("nested");
    const hundred = JSON.stringify(Array.from({ length: 100 }, (_, at) => at));
    const vast = `on: push\njobs: {a: {strategy: {matrix: {x: ${hundred}, y: ${hundred}}}}}`;
    expect(problem(vast)).toContain("more than 1024 combinations");
    const many = Array.from({ length: 257 }, (_, at) => `j${at}: {}`).join(", ");
    expect(problem(`on: push\njobs: {${many}}`)).toContain("more than 256 jobs");
    const crons = Array.from({ length: 21 }, () => "{cron: '@daily'}").join(", ");
    expect(problem(`on: {schedule: [${crons}]}${jobs}`)).toContain("more than 20");
  });
});

describe("a matrix", () => {
  it("is the product of its axes, without what is excluded, with what is included", () => {
    const axes = { os: ["x", "y"], node: [20, 22] };
    expect(combine({ axes, include: [], exclude: [{ os: "x", node: 20 }] })).toHaveLength(3);
    const include = [{ os: "x", fast: true }, { os: "z" }];
    expect(combine({ axes, include, exclude: [] })).toEqual([
      { os: "x", node: 20, fast: true },
      { os: "x", node: 22, fast: true },
      { os: "y", node: 20 },
      { os: "y", node: 22 },
      { os: "z" },
    ]);
    expect(combine({ axes: {}, include: [{ a: 1 }], exclude: [] })).toEqual([{ a: 1 }]);
  });

  it("names its jobs, and fills their labels in; over a bound it is refused", () => {
    const text = `on: push
jobs:
  a: {strategy: {matrix: {os: [x, y]}}, runs-on: ["\${{ matrix.os }}", docker]}
  b: {strategy: {matrix: {n: [1]}}, name: "\${{ matrix.n }} of \${{ github.ref_name }}", runs-on: docker}`;
    const made = expandJobs(read(text), { github: { ref_name: "main" } });
    expect(made.map(({ name, runsOn }) => [name, ...runsOn])).toEqual([
      ["a (x)", "x", "docker"],
      ["a (y)", "y", "docker"],
      ["1 of main", "docker"],
    ]);
    const labels = JSON.stringify(Array.from({ length: 21 }, (_, at) => `l${at}`));
    const wide = `on: push\njobs: {a: {strategy: {matrix: {l: ${labels}}}, runs-on: "\${{ matrix.l }}"}}`;
    expect(() => expandJobs(read(wide), {})).toThrow("20 different sets of labels");
    const deep = `on: push\njobs: {a: {strategy: {matrix: {x: [${"[".repeat(25)}${"]".repeat(25)}]}}}}`;
    expect(problem(deep)).toContain("nested more than 20 levels");
  });
});

describe("filling a workflow in (docs/limits.md)", () => {
  it("goes to a thread for matrices and expressions, and says so when that takes too long", async () => {
    const isSmall = (text: string) => fillWorkflowTask.isSmall?.({ workflow: read(text), scope: {} });
    expect(isSmall(`on: push${jobs}`)).toBe(true);
    expect(isSmall(`run-name: "\${{ toJSON(github) }}"\non: push${jobs}`)).toBe(false);
    expect(isSmall("on: push\njobs: {a: {strategy: {matrix: {x: [1]}}}}")).toBe(false);
    const ended = () => Promise.reject(new TaskEnded("fill-workflow", "time"));
    const filled = await fillWorkflow(ended, { workflow: read(`on: push${jobs}`) }, {});
    expect(filled.jobs).toEqual({ problem: expect.stringContaining("too long") });
  });
});

describe("an expression", () => {
  const scope = { github: { ref: "refs/heads/main", event: { labels: ["bug"] } }, inputs: { loud: true } };
  it.each([
    ["github.ref == 'REFS/heads/main'", true],
    ["github['ref'] != 'x' && !inputs.quiet", true],
    ["github.nothing.at.all || 'else'", "else"],
    ["startsWith(github.ref, 'refs/') && contains(github.event.labels, 'bug')", true],
    ["format('{0}-{1}', 'a', 2)", "a-2"],
    ["1 < 2 && '3' >= 3", true],
    ["join(github.event.labels)", "bug"],
    ["'it''s'", "it's"],
    ["secrets.x", null],
    ["hashFiles('x')", null],
    ["((", null],
    ["a b", null],
    ["constructor.constructor", null],
  ])("%s is %s", (source, value) => {
    expect(evaluate(source, scope)).toBe(value);
  });

  it("comes to an end, whatever is written", () => {
    expect(evaluate("!".repeat(1_000), {})).toBeNull();
    expect(evaluate(`${"(".repeat(500)}1${")".repeat(500)}`, {})).toBeNull();
    expect(evaluate("1 ".repeat(100_000), {})).toBeNull();
    const doubled = "format('{0}{0}{0}{0}', ".repeat(20);
    expect(String(evaluate(`${doubled}'xxxx'${")".repeat(20)}`, {}))).toHaveLength(4_096);
    expect(fillText(`${"${{".repeat(1_000)}`, {})).toHaveLength(3_000);
  });
});

describe("filters (semantics §64.2)", () => {
  const passes = (branches: string[], name: string) =>
    new Filters().wants({ branches }, undefined, { ref: `refs/heads/${name}` });
  it.each([
    [["main"], "main", true],
    [["release/*"], "release/1", true],
    [["release/*"], "release/1/2", false],
    [["release/**"], "release/1/2", true],
    [["**"], "any/thing", true],
    [["*"], "a/b", false],
    [["v[0-9]+"], "v12", true],
    [["ab?c"], "ac", true],
    [["**", "!dev"], "dev", false],
    [["!dev"], "main", false],
    [["**", "!dev*", "dev1"], "dev1", true],
    [["a.b"], "axb", false],
  ])("%s of %s: %s", async (branches, name, expected) => {
    expect(await passes(branches, name)).toBe(expected);
  });

  it("paths: one that fits suffices; paths-ignore: one that does not", async () => {
    const changedPaths = async () => ["docs/a.md", "src/b.ts"];
    const wants = (trigger: object) => new Filters().wants(trigger, undefined, { changedPaths });
    expect(await wants({ paths: ["**.md"] })).toBe(true);
    expect(await wants({ paths: ["lib/**"] })).toBe(false);
    expect(await wants({ pathsIgnore: ["docs/**"] })).toBe(true);
    expect(await wants({ pathsIgnore: ["docs/**", "src/*"] })).toBe(false);
    expect(await wants({ paths: ["**/b.ts"] })).toBe(true);
  });
});

describe("cron texts (semantics §11.1)", () => {
  const noon = Date.UTC(2026, 0, 15, 12) / 1000;
  const next = (text: string) => {
    const at = nextCronTime(text, noon);
    return at === undefined ? undefined : new Date(at * 1000).toISOString().slice(0, 16);
  };
  it.each([
    ["*/5 * * * *", "2026-01-15T12:05"],
    ["0 0 * * 0", "2026-01-18T00:00"],
    ["0 9 * * mon-fri", "2026-01-16T09:00"],
    ["0 0 1,15 feb *", "2026-02-01T00:00"],
    ["30 4 13 * 5", "2026-01-16T04:30"],
    ["@hourly", "2026-01-15T13:00"],
    ["@daily", "2026-01-16T00:00"],
    ["@weekly", "2026-01-18T00:00"],
    ["@monthly", "2026-02-01T00:00"],
    ["@yearly", "2027-01-01T00:00"],
    ["@every 90m", "2026-01-15T13:30"],
    ["@every 1s", "2026-01-15T12:01"],
    ["TZ=Europe/Berlin 0 14 * * *", "2026-01-15T13:00"],
    ["CRON_TZ=America/New_York @daily", "2026-01-16T05:00"],
  ])("%s is next due at %s", (text, expected) => {
    expect(next(text)).toBe(expected);
  });
  it.each([
    "bad",
    "* * * *",
    "0 * * * * *",
    "61 * * * *",
    "0 0 30 2 *",
    "@sometimes",
    "@every",
    "@every 1000000h",
    "TZ=Nowhere/Land 0 0 * * *",
    "0 0 L * *",
    "__proto__",
  ])("%s is none, or never due", (text) => {
    expect(next(text)).toBeUndefined();
  });
});
