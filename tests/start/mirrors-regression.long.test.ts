import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startServer } from "#tests/support/process/server-process";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

it("a started server brings repositories over: its queue of mirrors has a worker, too (D-MIGRATE)", async () => {
  const server = await startServer({ project, environment: { MIGRATION_ALLOWED_HOST_LIST: "loopback" } });
  try {
    const post = async (path: string, body: object) => {
      const answer = await fetch(`${server.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
    };
    const source = await post("/user/repos", { name: "source", auto_init: true });
    expect(source.status).toBe(201);
    const brought = await post("/repos/migrate", { clone_addr: source.json.clone_url, repo_name: "copy" });
    expect([brought.status, brought.json.empty]).toEqual([201, false]);
  } finally {
    await server.stop();
  }
});
