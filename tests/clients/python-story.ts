import { equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startServer } from "../support/process/server-process.ts";

/** Runs a story of `tests/clients/python` against a server, as an administrator: no step fails, and no answer is 500. */
export async function playPython(project: string, python: string, story: string): Promise<void> {
  const server = await startServer({ project });
  try {
    const words = [join(project, "tests", "clients", "python", story), server.url, server.token];
    const [status] = await once(spawn(python, words, { stdio: "inherit" }), "exit");
    equal(status, 0);
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
  }
}
