/**
 * The lines of a function's log that report a fault, as a CloudWatch filter: errors that the service logs itself
 * (caught 500s, failed tasks and messages), those of Lambda's runtime, and unsuccessful ends of a run (a crash, no time
 * or no memory left). Lambda's own count of errors has only the last.
 */
export const faultPattern = [
  `($.level = "error")`,
  `($.level = "ERROR")`,
  `($.level = "FATAL")`,
  ...["error", "failure", "timeout"].map((status) => `($.record.status = "${status}")`),
]
  .join(" || ")
  .replace(/^.*$/, "{ $& }");
