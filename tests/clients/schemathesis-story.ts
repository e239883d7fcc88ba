import { equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../support/process/server-process.ts";
import type { Json } from "./team.ts";

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
 * Lets Schemathesis make requests of our document, as an administrator and one after the other, at first of each operation
 * and then of operations whose answers lead to others, each for so many seconds: none is answered with 500, and every
 * answer is as declared.
 */
export async function playSchemathesis(project: string, program: string, seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-clients-"));
  const server = await startServer({ project });
  const document = `${server.url}/api/v1/openapi.json`;
  try {
    const words = [
      ...["run", document, "--header", `Authorization: token ${server.token}`, "--checks", checks.join(",")],
      ...["--exclude-path-regex", left, ...(await questionsOf(document))],
      ...["--max-time", String(seconds), "--max-examples", "5", "--request-timeout", "20"],
      ...["--suppress-health-check", "all", "--warnings", "off", "--phases"],
    ];
    for (const phases of ["coverage,fuzzing", "stateful"]) {
      const [status] = await once(
        spawn(program, [...words, phases], { stdio: "inherit", cwd: folder }),
        "exit",
      );
      equal(status, 0);
    }
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Leaves out the questions whose 404 has a body or, for a plain no, none: OpenAPI has no words for that. */
async function questionsOf(document: string): Promise<string[]> {
  const { paths }: Json = await (await fetch(document)).json();
  const operations: Json[] = Object.values(paths).flatMap((path) => Object.values(path as object));
  return operations
    .filter(({ responses }) => responses?.["404"]?.$ref?.endsWith("/no404"))
    .flatMap(({ operationId }) => ["--exclude-operation-id", operationId]);
}
