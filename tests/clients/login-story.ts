import { equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type ServerProcess, startServer } from "../support/process/server-process.ts";
import { type Member, makeMember } from "./team.ts";
import { startUserBrowser, type UserBrowser } from "./user-browser.ts";

/** Where programs log in: alice, of the organization `deployers`, has a private repository `tale` with a file. */
export interface LoginWorld {
  readonly server: ServerProcess;
  readonly alice: Member;
  readonly browser: UserBrowser;
  readonly folder: string;
}

/** A program as its owner registered it. */
export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
}

/** Has programs log in: no step fails, and no answer is 500. */
export async function playLogins(project: string, play: (world: LoginWorld) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-clients-"));
  const server = await startServer({ project });
  try {
    const alice = await makeMember(server, "alice", folder);
    await alice.call("POST", "/orgs", { username: "deployers" });
    await alice.call("POST", "/user/repos", { name: "tale", private: true });
    await alice.push("tale", { "a.md": "one\n" });
    const browser = await startUserBrowser(server.url, alice, folder);
    try {
      await play({ server, alice, browser, folder });
    } finally {
      await browser.stop();
    }
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Registers a program that is sent back to this address. */
export const registerProgram = (
  { alice }: LoginWorld,
  redirect: string,
  confidential = true,
): Promise<Registered> =>
  alice.call("POST", "/user/applications/oauth2", {
    ...{ name: "ci", redirect_uris: [redirect], confidential_client: confidential },
  });

/**
 * Runs a program of `tests/clients/logins` or beside it: it is told the forge, a confidential client with its secret, a
 * public client, and the address that both are sent back to.
 */
export const playLoginProgram = (project: string, command: readonly string[]): Promise<void> =>
  playLogins(project, async (world) => {
    const redirect = `http://127.0.0.1:${await freePort()}/callback`;
    const ours = await registerProgram(world, redirect);
    const open = await registerProgram(world, redirect, false);
    const words = [world.server.url, ours.client_id, ours.client_secret, open.client_id, redirect];
    await runProgram(world, [...command, ...words]);
  });

/** Runs a program, for which `xdg-open` is the browser in which alice is signed in. */
export async function runProgram({ browser, folder }: LoginWorld, command: readonly string[]): Promise<void> {
  const [program = "", ...words] = command;
  const env = { ...process.env, ...browser.environment, HOME: folder };
  const [status] = await once(spawn(program, words, { stdio: "inherit", env }), "exit");
  equal(status, 0);
}
