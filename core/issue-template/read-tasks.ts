import type { CallersCompute } from "../compute/compute.ts";
import { type Task, TaskEnded } from "../compute/task.ts";
import type { IssueConfig } from "./internal/config-file.ts";
import type { IssueTemplate } from "./template-file.ts";

const deadlineMs = 2_000;
/** Longer texts may take hundreds of milliseconds: YAML compares each key of a mapping with all others. */
const smallCharacters = 4_096;
const isSmall = ({ text }: { readonly text: string }): boolean => text.length <= smallCharacters;

interface TemplateText {
  readonly path: string;
  readonly text: string;
  readonly isForm: boolean;
}

// The code that reads the files is large, and loaded only when a file is read.

/** Reads one template; undefined when it is not valid. */
export const readTemplateTask: Task<TemplateText, IssueTemplate | undefined> = {
  name: "read-issue-template",
  deadlineMs,
  isSmall,
  async run({ path, text, isForm }) {
    const { readForm, readMarkdownTemplate } = await import("./template-file.ts");
    return (isForm ? readForm : readMarkdownTemplate)(path, text);
  },
};

/** Reads the file that says how issues are begun. */
export const readConfigTask: Task<{ readonly text: string }, IssueConfig | { readonly problem: string }> = {
  name: "read-issue-config",
  deadlineMs,
  isSmall,
  async run({ text }) {
    const { readConfigFile } = await import("./internal/config-file.ts");
    return readConfigFile(text);
  },
};

/** The template in a text; undefined when it is not valid, or takes too long to read. */
export const readTemplate = (compute: CallersCompute, given: TemplateText) =>
  compute(readTemplateTask, given).catch((error: unknown) => {
    if (error instanceof TaskEnded && error.reason !== "failed") return undefined;
    throw error;
  });

/** The content of the file, or what is wrong with it. */
export const readIssueConfig = (compute: CallersCompute, text: string) =>
  compute(readConfigTask, { text }).catch((error: unknown) => {
    if (error instanceof TaskEnded && error.reason !== "failed")
      return { problem: "it takes too long to read" };
    throw error;
  });
