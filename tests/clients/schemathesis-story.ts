import { equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { startServer } from "../support/server-process.ts";

const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];

/** They would end the account or the token with which the program calls. */
const left = String.raw`two_factor|/user/password|/users/\{username\}/tokens`;

/**
 * Lets Schemathesis make requests of our document, as an administrator and one after the other: none is answered with 500,
 * and every answer is as declared.
 */
export async function playSchemathesis(project: string, program: string, seconds: number): Promise<void> {
  const server = await startServer({ project });
  try {
    const words = [
      ...["run", `${server.url}/api/v1/openapi.json`, "--header", `Authorization: token ${server.token}`],
      ...[
        "--checks",
        checks.join(","),
        "--exclude-path-regex",
        left,
        "--phases",
        "coverage,fuzzing,stateful",
      ],
      ...["--max-time", String(seconds), "--max-examples", "5", "--request-timeout", "20"],
      ...["--suppress-health-check", "all", "--warnings", "off"],
    ];
    const [status] = await once(spawn(program, words, { stdio: "inherit" }), "exit");
    equal(status, 0);
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
  }
}
