import type { CallersCompute } from "../compute/compute.ts";
import { type Task, TaskEnded } from "../compute/task.ts";

/**
 * Finds the SPDX identifier of a license by its text; undefined when it is like none. The texts of all licenses are
 * megabytes, and read with the first question.
 */
export const identifyLicenseTask: Task<{ readonly text: string }, string | undefined> = {
  name: "identify-license",
  deadlineMs: 5_000,
  async run({ text }) {
    const { identifyLicense } = await import("./internal/identify-license.ts");
    return identifyLicense(text);
  },
};

/** The same; undefined, too, when it takes too long. */
export const identifyLicense = (compute: CallersCompute, text: string): Promise<string | undefined> =>
  compute(identifyLicenseTask, { text }).catch((error: unknown) => {
    if (error instanceof TaskEnded && error.reason !== "failed") return undefined;
    throw error;
  });
