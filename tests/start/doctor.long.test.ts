import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { runDoctor } from "#infra/local/doctor/doctor";
import { StartError } from "#infra/local/start-error";
import { freePort, type ServerProcess, startServer } from "#tests/support/process/server-process";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ project });
});
afterAll(() => server.stop());

async function doctor(...words: string[]): Promise<{ isWell: boolean; wrong: string[]; text: string }> {
  const lines: string[] = [];
  const isWell = await runDoctor(words, {}, (line) => lines.push(line));
  return { isWell, wrong: lines.filter((line) => line.startsWith("WRONG")), text: lines.join("\n") };
}

/** A proxy that spoils what the proxies of this world spoil: paths, the challenge, large bodies. */
async function startBadProxy(): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const path = decodeURIComponent(incoming.url ?? "");
    const target = `${server.url}${path.split("?")[0]}${incoming.url?.includes("service=") ? "?service=git-upload-pack" : ""}`;
    if (incoming.headers["transfer-encoding"] === "chunked") {
      outgoing.writeHead(413).end();
      return;
    }
    const forwarded = send(target, { method: incoming.method, headers: incoming.headers }, (answer) => {
      const { "www-authenticate": challenge, ...headers } = answer.headers;
      const renamed = challenge === undefined ? {} : { "x-amzn-remapped-www-authenticate": challenge };
      outgoing.writeHead(answer.statusCode ?? 500, { ...headers, ...renamed });
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe("npm run doctor", () => {
  it("finds nothing wrong with a server asked directly, and leaves no repository behind", async () => {
    const { isWell, wrong, text } = await doctor(server.url, "--token", server.token);
    expect(wrong).toEqual([]);
    expect(isWell).toBe(true);
    expect(text.split("\n").filter((line) => line.startsWith("ok"))).toHaveLength(8);
    const headers = { authorization: `token ${server.token}` };
    const left = await fetch(`${server.url}/api/v1/user/repos`, { headers });
    expect(await left.json()).toEqual([]);
  });

  it("finds nothing wrong where git is set to sign, to run hooks, or to send bodies whole", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coldforge-settings-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const settings = `[commit]\ngpgSign = true\n[gpg]\nprogram = false\n[core]\nhooksPath = ${folder}\n`;
    writeFileSync(join(folder, "config"), `${settings}[http]\npostBuffer = 10m\n`);
    vi.stubEnv("GIT_CONFIG_GLOBAL", join(folder, "config"));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await doctor(server.url, "--token", server.token)).wrong).toEqual([]);
  });

  it("names each thing that a proxy spoils, and what to change", async () => {
    const { isWell, wrong, text } = await doctor(await startBadProxy(), "--token", server.token);
    expect(isWell).toBe(false);
    expect(wrong.map((line) => line.split("\n")[0])).toEqual([
      "WRONG  links and clone URLs start with this address",
      "WRONG  encoded slashes and question marks arrive untouched",
      "WRONG  git is asked for credentials",
      "WRONG  git pushes 3 MB in chunks and clones them back",
    ]);
    expect(text).toContain("set ROOT_URL to http://127.0.0.1:");
    expect(text).toContain("x-amzn-remapped-www-authenticate");
    expect(text).not.toContain(server.token);
  });

  it("says that nobody answers, and how it is called", async () => {
    const { isWell, text } = await doctor(`http://127.0.0.1:${await freePort()}`);
    expect(isWell).toBe(false);
    expect(text).toMatch(/^WRONG {2}the service answers.*\n.*ECONNREFUSED.*\n.*the others were not tried/);
    await expect(doctor("forge.example.org")).rejects.toThrow(StartError);
    await expect(doctor()).rejects.toThrow("it takes one address");
  });
});
