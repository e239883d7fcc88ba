/**
 * The lines of a function's log that tell of a fault, as a filter of CloudWatch: errors that the service logs itself
 * (caught 500s, failed tasks and messages), those of Lambda's runtime, and ends of a run that was no success (a crash, no
 * time or no memory left). Lambda's own count of errors knows the last alone.
 */
export const faultPattern = [
  `($.level = "error")`,
  `($.level = "ERROR")`,
  `($.level = "FATAL")`,
  ...["error", "failure", "timeout"].map((status) => `($.record.status = "${status}")`),
]
  .join(" || ")
  .replace(/^.*$/, "{ $& }");
