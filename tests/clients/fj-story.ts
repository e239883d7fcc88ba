import { equal, match, rejects } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "../support/process/server-process.ts";
import { makeMember } from "./team.ts";

const run = promisify(execFile);

/** Works with fj, the command line of forgejo-cli, as one user: each command with what it must print. */
export async function playFj(project: string, program: string): Promise<void> {
  const server = await startServer({ project });
  const folder = mkdtempSync(join(tmpdir(), "coldforge-client-"));
  try {
    const alice = await makeMember(server, "alice", folder);
    await alice.call("POST", "/user/repos", { name: "engine", auto_init: true, default_branch: "main" });
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const away = join(folder, "away"); // in no checkout
    mkdirSync(away);
    const fj = async (words: readonly string[], printed: RegExp) => {
      const all = ["-H", server.url, "--style", "minimal", ...words];
      const { stdout, stderr } = await run(program, all, { env, cwd: away });
      match(stdout + stderr, printed, words.join(" "));
      console.log(`ok: fj ${words.slice(0, 2).join(" ")}`);
    };
    const inEngine = ["--repo", "alice/engine"];
    await fj(["auth", "add-token", alice.token], /^/);
    await fj(["whoami"], /signed into alice/);
    await fj(["repo", "create", "wheel", "--description", "round"], /created new repo/);
    await fj(["repo", "view", "alice/engine"], /alice\/engine/);
    await fj(["repo", "readme", "alice/engine"], /engine/);
    await fj(["issue", "create", "--no-template", ...inEngine, "It leaks", "--body", "oil"], /#1: It leaks/);
    await fj(["issue", "comment", "alice/engine#1", "a lot"], /^/);
    await fj(["issue", "view", "alice/engine#1", "comments"], /alice said:\n> a lot/);
    await fj(["issue", "edit", "alice/engine#1", "title", "It drips"], /^/);
    await fj(["issue", "search", ...inEngine, "drips"], /#1: It drips/);
    await fj(["issue", "close", "alice/engine#1", "-w", "mended"], /Closed issue #1/);
    await alice.call("POST", "/repos/alice/engine/contents/seal.txt", {
      content: Buffer.from("tight\n").toString("base64"),
      new_branch: "seal",
    });
    await fj(
      ["pr", "create", ...inEngine, "--base", "main", "--head", "seal", "Seal it", "--body", "x"],
      /#2/,
    );
    await fj(["pr", "view", "alice/engine#2"], /From `seal` into `main`/);
    await fj(["pr", "view", "alice/engine#2", "files"], /\+1 -0 seal\.txt/);
    await fj(["pr", "view", "alice/engine#2", "commits"], /seal\.txt/);
    await fj(["pr", "view", "alice/engine#2", "diff"], /^\+tight$/m);
    await fj(["pr", "comment", "alice/engine#2", "fine"], /^/);
    // What is expected to fail: docs/api-clients.md says why.
    await rejects(fj(["pr", "status", "alice/engine#2"], /^/), /unknown variant ``/);
    await fj(["pr", "merge", "alice/engine#2", "-M", "merge"], /Merged PR #2/);
    await fj(["pr", "search", ...inEngine, "--state", "closed"], /#2: Seal it/);
    await fj(["tag", "create", ...inEngine, "v0.1", "--body", "first"], /created tag v0\.1/);
    await fj(["tag", "list", ...inEngine], /v0\.1/);
    writeFileSync(join(away, "notes"), "all of them\n");
    const attach = ["--attach", "notes:notes.txt"];
    await fj(
      ["release", "create", ...inEngine, "One", "--create-tag", "v1", "--body", "x", ...attach],
      /One/,
    );
    await fj(["release", "view", ...inEngine, "One"], /notes\.txt\n- source\.zip/);
    const to = join(away, "loaded");
    await fj(["release", "asset", "download", ...inEngine, "One", "notes.txt", "-o", to], /Downloaded/);
    await fj(["milestone", "search", ...inEngine], /^/);
    await fj(["actions", "variables", "create", ...inEngine, "OIL", "5W-30"], /^/);
    await fj(["actions", "variables", "list", ...inEngine], /OIL/);
    await fj(["actions", "secrets", "create", ...inEngine, "KEY", "hidden"], /^/);
    await fj(["actions", "secrets", "list", ...inEngine], /KEY/);
    await fj(["actions", "tasks", ...inEngine], /0 tasks/);
    await fj(["user", "repos", "alice"], /alice\/engine/);
    await fj(["user", "search", "ali"], /alice/);
    await fj(["user", "key", "list"], /total keys: 0/);
    await fj(["org", "create", "works"], /created new public org works/);
    await fj(["org", "team", "list", "works"], /Owners/);
    await fj(["org", "members", "works"], /alice/);
    await rejects(fj(["repo", "star", "alice/engine"], /^/), /EOF while parsing/);
    await rejects(fj(["milestone", "create", "--state", "open", ...inEngine, "May"], /^/), /updated_at/);
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
