import { z } from "#zod";

const orders = [
  "latest",
  "oldest",
  "recentupdate",
  "leastupdate",
  "mostcomment",
  "leastcomment",
  "nearduedate",
  "farduedate",
] as const;

/** A word whose unknown values all have one meaning. */
export const stateWord = z
  .string()
  .transform((word) => (word === "closed" || word === "all" ? word : "open"))
  .pipe(z.enum(["open", "closed", "all"]))
  .default("open");
export const typeWord = z
  .string()
  .transform((word) => (word === "issues" ? "issue" : word === "pulls" ? "pull" : undefined))
  .pipe(z.enum(["issue", "pull"]).optional())
  .optional();
export const orderWord = z
  .enum(["relevance", "newest", "priority", ...orders])
  .transform((word) => (word === "relevance" || word === "newest" || word === "priority" ? "latest" : word))
  .pipe(z.enum(orders))
  .default("latest");
