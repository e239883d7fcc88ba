import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startServer } from "#tests/support/process/server-process";
import { startReceiver } from "#tests/support/servers/receiver";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const run = promisify(execFile);

/** The commands of the tour as one script: the shell blocks of the README that are marked for it. */
function tourScript(forge: string, receiver: string): string {
  const readme = readFileSync(join(project, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/<!-- tour -->\n```sh\n([\s\S]*?)```/g)].map(
    ([, commands]) => commands ?? "",
  );
  expect(blocks).toHaveLength(4);
  const script = `set -eu\nexport GIT_CONFIG_GLOBAL=/dev/null\n${blocks.join("\n")}`;
  return script
    .replaceAll("127.0.0.1:3000", new URL(forge).host)
    .replaceAll("127.0.0.1:8099", new URL(receiver).host);
}

it("README: the tour works as it is written, ending with a signed push delivery", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-tour-"));
  const receiver = await startReceiver();
  const server = await startServer({ project });
  try {
    const { stdout } = await run("bash", ["-c", tourScript(server.url, receiver.url)], { cwd: folder });
    expect(stdout).toContain('"title":"Say it in more languages"');
    const [delivery] = await receiver.received(1);
    const signature = createHmac("sha256", "shared")
      .update(delivery?.body ?? "")
      .digest("hex");
    expect(delivery?.headers["x-gitea-signature"]).toBe(signature);
    expect(delivery?.headers["x-gitea-event"]).toBe("push");
  } finally {
    await server.stop();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
