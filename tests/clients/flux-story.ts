import { equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../support/process/server-process.ts";
import { makeMember } from "./team.ts";

/** It holds that no answer is had from the client's cache, as where there are no entity tags. Here there are. */
const left = "should list the available organizations the user has access to";

const organization = "fluxcd-testing";

/** Runs the suite of Flux's Git providers for Gitea, compiled to `program`, with an organization and a team of its own. */
export async function playFlux(project: string, program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-clients-"));
  const server = await startServer({ project });
  try {
    const alice = await makeMember(server, "alice", folder);
    await alice.call("POST", "/orgs", { username: organization });
    const team = { name: `${organization}-2`, permission: "read", units: ["repo.code"] };
    await alice.call("POST", `/orgs/${organization}/teams`, team);
    const env = { GITEA_TOKEN: alice.token, GITEA_USER: "alice", GITEA_BASE_URL: server.url };
    const words = ["-ginkgo.skip", left, "-ginkgo.noColor"];
    const suite = spawn(program, words, { env: { ...process.env, ...env }, cwd: folder, stdio: "inherit" });
    const [status] = await once(suite, "exit");
    equal(status, 0);
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
