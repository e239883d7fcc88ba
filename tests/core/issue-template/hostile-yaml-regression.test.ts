import { describe, expect, it } from "vitest";
import { computeFor } from "#core/compute/compute";
import { TaskEnded } from "#core/compute/task";
import {
  readConfigTask,
  readIssueConfig,
  readTemplate,
  readTemplateTask,
} from "#core/issue-template/read-tasks";
import { readYaml } from "#core/yaml";

const mostCharacters = 64 * 1024;
const filled = (unit: string) => unit.repeat(Math.floor((mostCharacters - 100) / unit.length));
const keys = Array.from({ length: 7_000 }, (_, at) => `k${at}: 1`).join("\n");
/** Each names the one before it nine times. */
const aliases = [..."bcdefghij"].map(
  (name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghij"[at]}`).join(",")}]`,
);

const here = computeFor("test");
const ended = (reason: "time" | "memory" | "failed") => () =>
  Promise.reject(new TaskEnded("read", reason)) as Promise<never>;

describe("YAML of templates that takes long to read (semantics §52)", () => {
  it("is read on a thread, what is short at once", () => {
    for (const text of [keys, filled("]\n"), filled("{},"), filled("["), filled('- "\n')]) {
      expect(readTemplateTask.isSmall?.({ path: "a.yml", text, isForm: true })).toBe(false);
      expect(readConfigTask.isSmall?.({ text })).toBe(false);
    }
    expect(readConfigTask.isSmall?.({ text: "blank_issues_enabled: false" })).toBe(true);
  });

  it("comes to nothing when it is ended: the template is left out, the file has a problem", async () => {
    const given = { path: "a.yml", text: keys, isForm: true };
    for (const reason of ["time", "memory"] as const) {
      expect(await readTemplate(ended(reason), given)).toBeUndefined();
      expect(await readIssueConfig(ended(reason), keys)).toEqual({ problem: "it takes too long to read" });
    }
    await expect(readTemplate(ended("failed"), given)).rejects.toThrow(TaskEnded);
    await expect(readIssueConfig(ended("failed"), keys)).rejects.toThrow(TaskEnded);
  });

  it("is refused where it is nested deeply, before anything is done by recursion: that ended the process", () => {
    const deep = ["[", "{a: ", "- ", "? "].map((unit) => unit.repeat(8_000));
    const indented = Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}a:`).join("\n");
    const nested = (inner: string) => `${"[".repeat(60)}${inner}${"]".repeat(60)}`;
    const byAlias = `a: &a ${nested("x")}\nb: ${nested("*a")}`;
    for (const text of [...deep, ...deep.slice(0, 1), indented, byAlias]) {
      expect(readYaml(text)).toEqual({ problem: "it is nested more than 100 levels deep" });
    }
    expect(JSON.stringify(readYaml(nested("x")))).toContain("x");
    expect(readYaml(`- "${"[".repeat(500)}"`)).toEqual({ value: ["[".repeat(500)] });
  });

  it("is refused where aliases stand for aliases", async () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]", ...aliases].join("\n");
    expect(await readIssueConfig(here, bomb)).toEqual({ problem: expect.stringContaining("alias") });
    expect(await readTemplate(here, { path: "a.yml", text: bomb, isForm: true })).toBeUndefined();
  });
});
