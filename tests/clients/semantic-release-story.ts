import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "../support/process/server-process.ts";
import { type Json, type Member, makeMember } from "./team.ts";

const run = promisify(execFile);
const releases = "/repos/alice/library/releases";

const configuration = {
  branches: ["main", { name: "next", prerelease: true }],
  plugins: [
    "@semantic-release/commit-analyzer",
    "@semantic-release/release-notes-generator",
    [
      "@saithodev/semantic-release-gitea",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the client's
      { assets: ["dist/*.bin", { path: "dist/notes.txt", label: "notes-${nextRelease.version}.txt" }] },
    ],
  ],
};

interface World {
  readonly alice: Member;
  /** Commits with these messages onto a branch and pushes it. */
  readonly commit: (branch: string, ...messages: string[]) => Promise<void>;
  /** Runs the client on the branch that was committed to last; answers what it printed. */
  readonly release: (token?: string) => Promise<string>;
  readonly git: (...args: string[]) => Promise<string>;
  readonly bytes: Buffer;
}

/** Plays on a server and a folder of its own; prints each step that held, and throws at the first that doesn't. */
export async function playSemanticRelease(project: string, program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-clients-"));
  const server = await startServer({ project });
  try {
    const alice = await makeMember(server, "alice", folder);
    const world = await makeWorld(alice, folder, { program, url: server.url });
    for (const [title, step] of steps) {
      await step(world);
      console.log(`ok: ${title}`);
    }
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeWorld(
  alice: Member,
  folder: string,
  { program, url }: { readonly program: string; readonly url: string },
): Promise<World> {
  await alice.call("POST", "/user/repos", { name: "library" });
  const checkout = join(folder, "library");
  const repositoryUrl = `${url}/alice/library.git`;
  const settings = JSON.stringify({ ...configuration, repositoryUrl });
  await alice.push("library", { ".releaserc.json": settings, ".gitignore": "dist\n" });
  const git = async (...args: string[]) => (await run("git", ["-C", checkout, ...args])).stdout.trim();
  const bytes = randomBytes(300_000);
  mkdirSync(join(checkout, "dist"));
  writeFileSync(join(checkout, "dist", "library.bin"), bytes);
  writeFileSync(join(checkout, "dist", "notes.txt"), "Notes");
  return {
    ...{ alice, git, bytes },
    async commit(branch, ...messages) {
      await git("checkout", "-q", "-B", branch);
      for (const message of messages) await git("commit", "-q", "--allow-empty", "-m", message);
      await git("push", "-q", "origin", `HEAD:${branch}`);
    },
    async release(token = alice.token) {
      const { PATH } = process.env;
      const credentials = { GITEA_URL: url, GITEA_TOKEN: token, GIT_CREDENTIALS: `alice:${alice.token}` };
      const env = { PATH, HOME: folder, ...credentials };
      return (await run(process.execPath, [program, "--no-ci"], { cwd: checkout, env })).stdout;
    },
  };
}

const steps: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ["makes the first release, with its tag, notes and assets", first],
  ["publishes nothing when nothing is to be released", nothing],
  ["makes a fix's release, which is the latest from then on", fix],
  ["makes a branch's prerelease, which is never the latest", prerelease],
  ["releases what was prereleased once it is on main", promoted],
  ["stops before the tag with a token that is none, and goes on with a right one", refused],
];

async function first({ alice, commit, release, git, bytes }: World): Promise<void> {
  await commit("main", "feat: add a door", "docs: tell of it");
  await release();
  const made: Json = await alice.call("GET", `${releases}/latest`);
  deepEqual([made.tag_name, made.name, made.draft, made.prerelease], ["v1.0.0", "v1.0.0", false, false]);
  match(made.body, /### Features\n\n\* add a door/);
  deepEqual(names(made), ["library.bin", "notes-1.0.0.txt"]);
  equal(
    await git("ls-remote", "origin", "refs/tags/v1.0.0"),
    `${await git("rev-parse", "HEAD")}\trefs/tags/v1.0.0`,
  );
  const [{ browser_download_url: url }] = made.assets.filter(({ name }: Json) => name === "library.bin");
  equal(sha256(Buffer.from(await (await fetch(url)).arrayBuffer())), sha256(bytes));
}

async function nothing({ alice, commit, release }: World): Promise<void> {
  await commit("main", "chore: sweep the floor");
  match(await release(), /There are no relevant changes, so no new version is released/);
  deepEqual(await tags(alice), ["v1.0.0"]);
}

async function fix({ alice, commit, release }: World): Promise<void> {
  await commit("main", "fix: oil the door");
  await release();
  equal((await alice.call("GET", `${releases}/latest`)).tag_name, "v1.0.1");
  const { release_counter } = await alice.call("GET", "/repos/alice/library");
  deepEqual([await tags(alice), release_counter], [["v1.0.1", "v1.0.0"], 2]);
}

async function prerelease({ alice, commit, release }: World): Promise<void> {
  await commit("next", "feat: add a window");
  await release();
  const made = await alice.call("GET", `${releases}/tags/v1.1.0-next.1`);
  deepEqual([made.prerelease, names(made)], [true, ["library.bin", "notes-1.1.0-next.1.txt"]]);
  equal((await alice.call("GET", `${releases}/latest`)).tag_name, "v1.0.1");
  deepEqual(await tags(alice, "?pre-release=true"), ["v1.1.0-next.1"]);
}

async function promoted({ alice, commit, release, git }: World): Promise<void> {
  await git("checkout", "-q", "main");
  await git("merge", "-q", "--ff-only", "next");
  await commit("main", "docs: tell of the window");
  await release();
  const made = await alice.call("GET", `${releases}/latest`);
  equal(made.tag_name, "v1.1.0");
  match(made.body, /add a window/);
}

async function refused({ alice, commit, release, git }: World): Promise<void> {
  await commit("main", "fix: close the window");
  await rejects(release("0".repeat(40)), { stderr: /Invalid Gitea token/ });
  deepEqual((await tags(alice)).slice(0, 1), ["v1.1.0"]);
  equal(await git("ls-remote", "origin", "refs/tags/v1.1.1"), "");
  await release();
  deepEqual((await tags(alice)).slice(0, 1), ["v1.1.1"]);
}

const tags = async (member: Member, query = ""): Promise<string[]> =>
  (await member.call("GET", `${releases}${query}`)).map(({ tag_name }: Json) => tag_name);
const names = ({ assets }: Json): string[] => assets.map(({ name }: Json) => name).sort();
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
