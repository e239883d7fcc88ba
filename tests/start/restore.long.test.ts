import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startServer } from "#tests/support/process/server-process";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const run = promisify(execFile);

it("a copy of a stopped server's data folder, put elsewhere, serves everything that was in it", async () => {
  const work = mkdtempSync(join(tmpdir(), "coldforge-restore-"));
  const [folder, copy] = [join(work, "data"), join(work, "copy")];
  let server = await startServer({ project, folder });
  const { token } = server;
  const headers = { authorization: `token ${token}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body?: object) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${server.url}/api/v1${path}`, { method, headers, ...init });
    return (await response.json()) as Record<string, unknown>;
  };
  try {
    await call("POST", "/user/repos", { name: "kept", auto_init: true, object_format_name: "sha256" });
    const hook = {
      type: "gitea",
      config: { url: "https://example.org/", content_type: "json", secret: "s" },
    };
    const { id } = await call("POST", "/repos/root/kept/hooks", hook);
    await server.stop();
    cpSync(folder, copy, { recursive: true });
    rmSync(folder, { recursive: true });

    server = await startServer({ project, folder: copy, token });
    const url = server.url.replace("//", `//root:${token}@`);
    await run("git", ["clone", "-q", `${url}/root/kept.git`, join(work, "clone")]);
    await run("git", ["-C", join(work, "clone"), "fsck", "--full", "--strict"]);
    expect(await call("GET", `/repos/root/kept/hooks/${id}`)).toMatchObject({ id, type: "gitea" });
  } finally {
    await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
});
