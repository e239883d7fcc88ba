import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { administrator, type ServerProcess } from "../support/process/server-process.ts";

const run = promisify(execFile);

export type Json = ReturnType<typeof JSON.parse>;

/** Calls the API as one user; throws for every answer but 2xx. */
type Caller = (method: string, path: string, body?: object) => Promise<Json>;

/** A user of the service, with the API and with git. */
export interface Member {
  readonly name: string;
  readonly password: string;
  readonly token: string;
  readonly call: Caller;
  /** Writes these files onto main (undefined removes one) and pushes that, with tags of the new commit. */
  push(repository: string, files: Files, tags?: readonly string[]): Promise<void>;
}

type Files = Readonly<Record<string, string | undefined>>;

/** Makes a user with a token of all scopes, who has their checkouts in `folder`. */
export async function makeMember(server: ServerProcess, name: string, folder: string): Promise<Member> {
  const password = "battery-staple-4";
  const user = { username: name, email: `${name}@example.com`, password, must_change_password: false };
  await callerOf(server, basic(administrator.name, administrator.password))("POST", "/admin/users", user);
  const token = { name: "all", scopes: ["all"] };
  const { sha1 } = await callerOf(server, basic(name, password))("POST", `/users/${name}/tokens`, token);
  const origin = server.url.replace("//", `//${name}:${sha1}@`);
  return {
    name,
    password,
    token: sha1,
    call: callerOf(server, `token ${sha1}`),
    push: (repository, files, tags = []) =>
      pushFiles(join(folder, repository), `${origin}/${name}/${repository}.git`, files, tags),
  };
}

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

function callerOf(server: ServerProcess, authorization: string): Caller {
  return async (method, path, body) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
}

async function pushFiles(
  checkout: string,
  url: string,
  files: Files,
  tags: readonly string[],
): Promise<void> {
  const git = (...args: string[]) => run("git", ["-C", checkout, ...args]);
  if (existsSync(checkout)) {
    await git("pull", "-q");
  } else {
    await run("git", ["clone", "-q", url, checkout]);
    await git("config", "user.name", "Alice");
    await git("config", "user.email", "alice@example.com");
  }
  for (const [path, text] of Object.entries(files)) {
    const file = join(checkout, path);
    mkdirSync(dirname(file), { recursive: true });
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
  }
  await git("add", "--all");
  await git("commit", "-q", "--allow-empty", "-m", `Change ${Object.keys(files).join(", ")}`);
  await git("push", "-q", "origin", "HEAD:main", ...tags.map((tag) => `HEAD:refs/tags/${tag}`));
}
