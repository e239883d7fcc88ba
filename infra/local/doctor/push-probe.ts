import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ask, type Probe, type ProbedService } from "./probes.ts";

/** Above git's http.postBuffer of 1 MiB, so that the pack comes in chunks, and below Lambda's 4.5 MB. */
const fileBytes = 3 * 1024 * 1024;
const run = promisify(execFile);

/** Creates a private repository, pushes 3 MB to it with git, clones them back, and deletes it. */
export const pushProbe: Probe = {
  claim: "git pushes 3 MB in chunks and clones them back",
  async run(service) {
    const name = `doctor-${randomUUID().slice(0, 8)}`;
    const headers = { authorization: `token ${service.token}`, "content-type": "application/json" };
    const body = JSON.stringify({ name, private: true });
    const created = await ask(service, "/api/v1/user/repos", { method: "POST", headers, body });
    if (created.status !== 201)
      return `POST /api/v1/user/repos answered ${created.status}: ${await created.text()}`;
    const { full_name: fullName } = (await created.json()) as { full_name: string };
    try {
      return await pushAndClone(service, fullName);
    } finally {
      await ask(service, `/api/v1/repos/${fullName}`, { method: "DELETE", headers });
    }
  },
};

async function pushAndClone(
  { url, token = "" }: ProbedService,
  fullName: string,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-doctor-"));
  const git = (...args: string[]) => run("git", args, { cwd: folder, env: environment(token) });
  const remote = `${url}/${fullName}.git`;
  try {
    await git("init", "-q", "-b", "main", "pushed");
    await writeFile(join(folder, "pushed", "random"), randomBytes(fileBytes));
    await git("-C", "pushed", "add", "random");
    await git("-C", "pushed", "commit", "-q", "-m", "Probe");
    await git("-C", "pushed", "push", "-q", remote, "main");
    await git("clone", "-q", remote, "cloned");
    await git("-C", "cloned", "fsck", "--full", "--strict");
    return undefined;
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    return `${stderr.trim() || String(error)}: the proxy must take chunked bodies of any size and buffer neither way (nginx: client_max_body_size 0; proxy_request_buffering off; proxy_buffering off)`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The caller's settings reach the server (proxies, certificates); those that would judge the probe's commit don't
 * count.
 */
const settings = {
  "commit.gpgSign": "false",
  "push.gpgSign": "false",
  "core.hooksPath": devNull,
  "http.postBuffer": String(1024 * 1024),
};

/** The token goes in a header from the environment: neither the list of processes nor an error shows it. */
function environment(token: string): NodeJS.ProcessEnv {
  const basic = Buffer.from(`${token}:x-oauth-basic`).toString("base64");
  const given = Object.entries({ ...settings, "http.extraHeader": `Authorization: Basic ${basic}` });
  const identity = { NAME: "Doctor", EMAIL: "doctor@localhost" };
  return {
    ...process.env,
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(given.length),
    ...Object.fromEntries(
      given.flatMap(([key, value], place) => [
        [`GIT_CONFIG_KEY_${place}`, key],
        [`GIT_CONFIG_VALUE_${place}`, value],
      ]),
    ),
    GIT_AUTHOR_NAME: identity.NAME,
    GIT_AUTHOR_EMAIL: identity.EMAIL,
    GIT_COMMITTER_NAME: identity.NAME,
    GIT_COMMITTER_EMAIL: identity.EMAIL,
  };
}
