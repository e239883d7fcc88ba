import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { boundedIntake } from "#core/capacity/intake";
import type { ObjectFormat } from "#core/git/format/object-format";
import { createSite } from "#infra/local/http/site";
import { Folders, type GitRun, tryGit } from "#tests/git/http/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";

/*
 * Git LFS of Debian (`.ci/debian-packages`), against the whole site over real connections, as on one machine.
 */

const folders = new Folders();
let api: TestApi;
let alice: Caller;
let bob: Caller;
let origin: string;
let home: string;
let stop: () => Promise<void>;
const requests: string[] = [];

beforeAll(async () => {
  let listener: RequestListener | undefined;
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = await makeApi({ settings: { ROOT_URL: origin } });
  listener = getRequestListener(createSite(api.forge, boundedIntake(api.forge.config)).fetch);
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  home = await folders.make();
  stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await api.stop();
  };
});
afterEach(() => requests.splice(0));
afterAll(async () => {
  await stop();
  await folders.remove();
});

let made = 0;
/** Makes a repository of alice's; answers its name. */
async function create(options: object = {}): Promise<string> {
  made += 1;
  await makeRepository(api, alice, `large-${made}`, options);
  return `large-${made}`;
}

const urlFor = (name: string, as?: Caller, owner = "alice") =>
  `${origin.replace("://", as === undefined ? "://" : `://${as.name}:${as.token}@`)}/${owner}/${name}.git`;

const filters = {
  "filter.lfs.clean": "git-lfs clean -- %f",
  "filter.lfs.smudge": "git-lfs smudge -- %f",
  "filter.lfs.process": "git-lfs filter-process",
  "filter.lfs.required": "true",
  "lfs.locksverify": "true",
  "user.name": "Ada",
  "user.email": "ada@example.org",
};

const run = (folder: string, args: readonly string[], env: Record<string, string> = {}): Promise<GitRun> => {
  const config = Object.entries(filters).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  return tryGit(folder, [...config, ...args], { env: { HOME: home, ...env } });
};

async function git(folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(folder, args);
  expect(code, `git ${args.join(" ")}: ${stderr}${stdout}`).toBe(0);
  return stdout;
}

/** A working copy that pushes to a repository, with large files under `*.bin`. */
async function start(name: string, format: ObjectFormat = "sha1", as = alice): Promise<string> {
  const folder = await folders.make();
  await git(folder, "init", "-q", "-b", "main", `--object-format=${format}`);
  await git(folder, "lfs", "install", "--local", "--force");
  await git(folder, "lfs", "track", "*.bin");
  await git(folder, "remote", "add", "origin", urlFor(name, as));
  return folder;
}

async function commit(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
  await git(folder, "add", "-A");
  await git(folder, "commit", "-q", "-m", "files");
}

async function clone(url: string, env: Record<string, string> = {}): Promise<string> {
  const folder = await folders.make();
  const { code, stderr } = await run(folder, ["clone", "-q", url, "copy"], env);
  expect(code, stderr).toBe(0);
  return join(folder, "copy");
}

const contentOf = (folder: string, path: string) => readFile(join(folder, path));
const counted = (pattern: RegExp) => requests.filter((line) => pattern.test(line)).length;

describe("git-lfs", () => {
  it.each(["sha1", "sha256"] as const)("pushes, clones, fetches and pulls (%s)", async (format) => {
    const name = await create({ object_format_name: format });
    const folder = await start(name, format);
    const content = randomBytes(300_000);
    await commit(folder, { "a.bin": content, "b.bin": "small but large", "c.txt": "text" });
    await git(folder, "push", "-q", "-u", "origin", "main");
    const copy = await clone(urlFor(name));
    expect(await contentOf(copy, "a.bin")).toEqual(content);
    expect(String(await contentOf(copy, "b.bin"))).toBe("small but large");
    await commit(folder, { "a.bin": "second version" });
    await git(folder, "push", "-q");
    await git(copy, "pull", "-q");
    expect(String(await contentOf(copy, "a.bin"))).toBe("second version");
    await git(copy, "lfs", "fetch", "--all");
    await git(copy, "lfs", "fsck");
  });

  it("leaves pointers with GIT_LFS_SKIP_SMUDGE, and gets their content later", async () => {
    const name = await create();
    const folder = await start(name);
    await commit(folder, { "a.bin": "content" });
    await git(folder, "push", "-q", "origin", "main");
    const copy = await clone(urlFor(name), { GIT_LFS_SKIP_SMUDGE: "1" });
    expect(String(await contentOf(copy, "a.bin"))).toMatch(/^version https:\/\/git-lfs/);
    await git(copy, "lfs", "install", "--local", "--force");
    await git(copy, "lfs", "pull");
    expect(String(await contentOf(copy, "a.bin"))).toBe("content");
  });

  it("of a private repository needs credentials, from the URL as from a helper; others get nothing", async () => {
    const name = await create({ private: true });
    const folder = await start(name);
    await commit(folder, { "a.bin": "hidden content" });
    await git(folder, "push", "-q", "origin", "main");
    expect(String(await contentOf(await clone(urlFor(name, alice)), "a.bin"))).toBe("hidden content");
    const helper = `!f() { test "$1" = get && echo username=alice && echo password=${alice.token}; }; f`;
    const asked = await folders.make();
    const helped = await run(asked, [
      "-c",
      `credential.helper=${helper}`,
      "clone",
      "-q",
      urlFor(name),
      "copy",
    ]);
    expect(helped.code, helped.stderr).toBe(0);
    expect(String(await contentOf(join(asked, "copy"), "a.bin"))).toBe("hidden content");
    for (const url of [urlFor(name), urlFor(name, bob)]) {
      expect((await run(await folders.make(), ["clone", "-q", url, "copy"])).code).not.toBe(0);
    }
  });

  it("migrates the history of a repository", async () => {
    const name = await create();
    const folder = await folders.make();
    await git(folder, "init", "-q", "-b", "main");
    await git(folder, "remote", "add", "origin", urlFor(name, alice));
    await commit(folder, { "old.bin": "first", "keep.txt": "text" });
    await commit(folder, { "old.bin": "second" });
    await git(folder, "push", "-q", "origin", "main");
    await git(folder, "lfs", "install", "--local", "--force");
    await git(folder, "lfs", "migrate", "import", "--include=*.bin", "--everything", "--yes");
    await git(folder, "push", "-q", "--force", "origin", "main");
    const copy = await clone(urlFor(name));
    expect(String(await contentOf(copy, "old.bin"))).toBe("second");
    await git(copy, "lfs", "fetch", "--all", "origin");
    expect(await git(copy, "lfs", "ls-files", "--all", "--name-only")).toMatch(/old\.bin/);
    await git(copy, "lfs", "migrate", "export", "--include=*.bin", "--everything", "--yes");
    expect(await git(copy, "show", "main~1:old.bin")).toBe("first");
  });

  it("locks files: others can't push them, but end a lock by force", async () => {
    const name = await create();
    await api.call("PUT", `/repos/alice/${name}/collaborators/bob`, {
      as: alice,
      body: { permission: "write" },
    });
    const folder = await start(name);
    await commit(folder, { "a.bin": "one" });
    await git(folder, "push", "-q", "-u", "origin", "main");
    await git(folder, "lfs", "lock", "a.bin");
    expect(await git(folder, "lfs", "locks")).toMatch(/a\.bin\s+alice/);
    const copy = await clone(urlFor(name, bob));
    await git(copy, "lfs", "install", "--local", "--force");
    expect((await run(copy, ["lfs", "lock", "a.bin"])).code).not.toBe(0);
    await rm(join(copy, "a.bin"));
    await commit(copy, { "a.bin": "two" });
    const refused = await run(copy, ["push", "origin", "main"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toMatch(/a\.bin - alice[\s\S]*Cannot update locked files/);
    expect((await run(copy, ["lfs", "unlock", "a.bin"])).code).not.toBe(0);
    await git(copy, "lfs", "unlock", "--force", "a.bin");
    await git(copy, "push", "-q", "origin", "main");
    expect(await git(folder, "lfs", "locks")).toBe("");
  });

  it("pushes 1,000 objects in one push, a hundred in a request, and clones them", async () => {
    const name = await create();
    const folder = await start(name);
    const files = Array.from({ length: 1_000 }, (_, at) => [`f${at}.bin`, `content ${made} ${at}`] as const);
    await commit(folder, Object.fromEntries(files));
    requests.splice(0);
    await git(folder, "push", "-q", "origin", "main");
    expect([
      counted(/objects\/batch$/),
      counted(/^PUT /),
      counted(/\/verify$/) - counted(/locks\/verify$/),
    ]).toEqual([10, 1_000, 1_000]);
    await git(folder, "push", "-q", "origin", "main:again");
    expect(counted(/^PUT /)).toBe(1_000);
    const copy = await clone(urlFor(name));
    expect(String(await contentOf(copy, "f999.bin"))).toBe(`content ${made} 999`);
    await git(copy, "lfs", "fsck");
  });

  it("pushes to a fork, and from it to the base without an upload", async () => {
    const name = await create();
    const folder = await start(name);
    await commit(folder, { "a.bin": "of the base" });
    await git(folder, "push", "-q", "origin", "main");
    const forked = await api.call("POST", `/repos/alice/${name}/forks`, { as: bob, body: {} });
    expect(forked.status).toBe(202);
    const copy = await clone(urlFor(name, bob, "bob"));
    expect(String(await contentOf(copy, "a.bin"))).toBe("of the base");
    await git(copy, "lfs", "install", "--local", "--force");
    await commit(copy, { "b.bin": "of the fork" });
    await git(copy, "push", "-q", "origin", "main");
    await git(folder, "remote", "add", "fork", urlFor(name, undefined, "bob"));
    await run(folder, ["pull", "-q", "fork", "main"], { GIT_LFS_SKIP_SMUDGE: "1" });
    await git(folder, "lfs", "fetch", "fork", "main");
    requests.splice(0);
    await git(folder, "push", "-q", "origin", "main");
    expect(counted(/^PUT /)).toBe(0);
    expect(String(await contentOf(await clone(urlFor(name)), "b.bin"))).toBe("of the fork");
  });

  it("says why a push is refused: an archived repository, one that may only be read", async () => {
    const name = await create();
    const folder = await start(name, "sha1", bob);
    await commit(folder, { "a.bin": `refused ${made}` });
    expect((await run(folder, ["push", "origin", "main"])).stderr).toMatch(/write rights|may not push/);
    await api.call("PATCH", `/repos/alice/${name}`, { as: alice, body: { archived: true } });
    await git(folder, "remote", "set-url", "origin", urlFor(name, alice));
    expect((await run(folder, ["push", "origin", "main"])).stderr).toMatch(/archived/);
  });
});
