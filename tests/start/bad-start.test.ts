import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig, SettingError } from "#core/config";
import { readLauncherConfig } from "#infra/local/settings";
import { type ServerProcess, startServer } from "#tests/support/server-process";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "coldforge-start-"));
  server = await startServer({ project });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts with these settings, waits for the end, and answers what it printed. */
async function failingStart(environment: Record<string, string>): Promise<{ code: number; text: string }> {
  const child = spawn(process.execPath, ["infra/local/start.mjs"], {
    cwd: project,
    env: { ...process.env, DATA_DIR: join(folder, "data"), PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, "close");
  return { code, text };
}

describe("a start that can't succeed says why in one line and ends with 1", () => {
  it("a data folder in use: who holds it", async () => {
    const { code, text } = await failingStart({ DATA_DIR: server.folder });
    expect(code).toBe(1);
    expect(text).toContain(String(server.pid));
    expect(text).toContain(server.folder);
  });

  it("a data folder that can't be written: names it and DATA_DIR", async () => {
    const blocked = join(folder, "a-file");
    writeFileSync(blocked, "");
    const { code, text } = await failingStart({ DATA_DIR: join(blocked, "data") });
    expect(code).toBe(1);
    expect(text).toMatch(/DATA_DIR/);
    expect(text).toContain(blocked);
  });

  it("a port in use: names PORT", async () => {
    const { code, text } = await failingStart({ PORT: new URL(server.url).port });
    expect(code).toBe(1);
    expect(text).toMatch(/in use.*PORT/);
  });

  it("a malformed setting, and a first administrator that can't be", async () => {
    const tries = await Promise.all([
      failingStart({ PORT: "many" }),
      failingStart({ ADMIN_USER: "not a name", DATA_DIR: join(folder, "other") }),
    ]);
    const [malformed, impossible] = tries;
    expect(malformed?.text).toBe(
      'coldforge: setting PORT: expected a port number from 0 to 65535, got "many"\n',
    );
    expect(impossible?.text).toMatch(/^coldforge: .*ADMIN_USER.*\[Username\].*\n$/);
    expect(tries.map(({ code }) => code)).toEqual([1, 1]);
  });
});

describe("settings", () => {
  it.each([
    [{ PORT: "70000" }, /setting PORT: expected a port number/],
    [{ REQUIRE_SIGNIN_VIEW: "perhaps" }, /setting REQUIRE_SIGNIN_VIEW/],
    [
      { MIN_PASSWORD_LENGTH: "0" },
      /setting MIN_PASSWORD_LENGTH: expected a whole number from 1 to 255, got "0"/,
    ],
    [{ ROOT_URL: "forge.example.org" }, /setting ROOT_URL: expected a URL/],
    [{ DEFAULT_BRANCH: "a..b" }, /setting DEFAULT_BRANCH/],
    [{ HOST: "0.0.0.0" }, /setting HOST: .*TLS_CERT.*ALLOW_INSECURE/],
    [{ TLS_CERT: "/nowhere.pem" }, /setting TLS_KEY: TLS_CERT and TLS_KEY must be set together/],
  ])("%j is refused by its name", (environment, expected) => {
    const read = () => [readLauncherConfig(environment), readConfig(environment)];
    expect(read).toThrow(expected);
    expect(read).toThrow(SettingError);
  });

  it("an address that is not loopback is fine with https of its own, of a proxy, or when told so", () => {
    const open = { HOST: "0.0.0.0" };
    expect(readLauncherConfig({ ...open, TLS_CERT: "c", TLS_KEY: "k" }).rootUrl).toBe(
      "https://localhost:3000",
    );
    expect(readLauncherConfig({ ...open, ROOT_URL: "https://forge.example" }).rootUrl).toBe(
      "https://forge.example",
    );
    expect(readLauncherConfig({ ...open, ALLOW_INSECURE: "true" }).rootUrl).toBe("http://localhost:3000");
  });
});

describe("npm run config", () => {
  it("shows each setting with its value, source and default, and no secret", async () => {
    const child = spawn(process.execPath, ["infra/local/start.mjs", "config"], {
      cwd: project,
      env: { ...process.env, MIN_PASSWORD_LENGTH: "12", ADMIN_PASSWORD: "do not show" },
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    await once(child, "close");
    expect(text).toMatch(/MIN_PASSWORD_LENGTH +12 +environment +8/);
    expect(text).toMatch(/ADMIN_PASSWORD +\(set\) +environment/);
    expect(text).toMatch(/DATA_DIR +\.data +default +\.data/);
    expect(text).not.toContain("do not show");
  });
});
