import { unprocessable } from "#core/errors";
import { text, words } from "../../http/query.ts";
import { ActionWorkflowJob } from "./schema.ts";

/** The form of lists of jobs. */
export const listedJobs = {
  list: ActionWorkflowJob,
  under: "jobs",
  total: "total_count",
  named: "ActionWorkflowJobsResponse",
} as const;

/** What lists of jobs may be asked for, and in which order. */
export const jobQuery = { status: words("only jobs in these states, in the words of either family") };
export const orderQuery = {
  sort: text.openapi({ description: "created or id: both are the order in which they were made" }),
  order: text.openapi({ description: "asc or desc" }),
};

/** Whether a query wants the oldest first; `usually` when it says nothing. 422 for unknown words. */
export function isOldestFirst(
  { sort = "", order = "" }: { readonly sort?: string | undefined; readonly order?: string | undefined },
  usually = false,
): boolean {
  if (!["", "created", "id"].includes(sort)) throw unprocessable(`Invalid sort mode: "${sort}"`);
  if (!["", "asc", "desc"].includes(order)) throw unprocessable(`Invalid sort order: "${order}"`);
  return order === "" ? usually : order === "asc";
}
