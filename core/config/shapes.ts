import { z } from "zod";

/** Any text. */
export const text = z.string();

/** true, 1, yes, on; or false, 0, no, off. */
export const flag = z.stringbool({ truthy: ["true", "1", "yes", "on"], falsy: ["false", "0", "no", "off"] });

/** A whole number from `least` to `most`. */
export const integer = (least: number, most: number) =>
  z
    .string()
    .regex(/^-?\d+$/, `expected a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `expected a whole number from ${least} to ${most}`);

/** Entries between commas. */
export const list = z.string().transform((value) =>
  value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);

/** The same with a check of each entry: `problemOf` says what is expected instead. */
export const listOf = (problemOf: (entry: string) => string | undefined) =>
  list.superRefine((entries, context) => {
    for (const entry of entries) {
      const problem = problemOf(entry);
      if (problem !== undefined) context.addIssue(problem);
    }
  });

/** The shape of a setting that is an http or https URL, without a slash at its end. */
export const httpUrl = (example: string) =>
  z.string().transform((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      context.addIssue(`expected a URL that starts with http:// or https://, such as ${example}`);
      return z.NEVER;
    }
    return url.href.replace(/\/+$/, "");
  });
