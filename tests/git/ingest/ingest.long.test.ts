import { spawn } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { generateRepository } from "#tests/support/git/git-generator";
import { bundled } from "../../support/process/bundled-script.ts";
import { bareRepository, git, gitText, packOfRevisions, temporaryFolder } from "../pack/real-git.ts";
import { describeDamagedPacks } from "./damaged-packs-suite.ts";
import { taken } from "./taken.ts";

const mebibyte = 2 ** 20;

/** Takes a pack in by a process of its own; gives what it says. */
async function takenByChild(folder: string, path: string): Promise<{ ok: boolean; peakBytes: number }> {
  const script = await bundled("tests/git/ingest/ingest-child.ts", folder);
  await mkdir(join(folder, "spool"));
  const child = spawn(process.execPath, [script, path, join(folder, "spool")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const out: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => out.push(piece));
  await once(child, "close");
  return JSON.parse(Buffer.concat(out).toString());
}

describe("ingestPack", () => {
  it.each<[number, ObjectFormat]>([
    [100_000, "sha1"],
    [20_000, "sha256"],
  ])("indexes %i %s objects as git does, 100,000 within 300 MB", async (objects, format) => {
    const folder = await temporaryFolder();
    const repository = join(folder, "generated");
    await generateRepository({ folder: repository, objects, sizeBytes: 500 * objects, format });
    const sent = await packOfRevisions(repository, ["main"]);
    await writeFile(join(folder, "sent.pack"), sent);
    await git(repository, ["index-pack", join(folder, "sent.pack")]);
    const pack = await taken(format, sent);
    expect(pack.sideFile.index.bytes.equals(await readFile(join(folder, "sent.idx")))).toBe(true);
    expect(pack.outside.count).toBe(0);
    if (format !== "sha1") return;
    const child = await takenByChild(folder, join(folder, "sent.pack"));
    expect(child.ok).toBe(true);
    expect(child.peakBytes).toBeLessThan(300 * mebibyte);
  });

  it("takes a blob of 400 MB and a delta on it within 300 MB", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "blob");
    const file = createWriteStream(path);
    for (let written = 0; written < 400; written++) {
      if (!file.write(randomFillSync(Buffer.alloc(mebibyte)))) await once(file, "drain");
    }
    file.end();
    await once(file, "close");
    const repository = await bareRepository("sha1");
    await git(repository, ["config", "core.compression", "0"]);
    await git(repository, ["config", "core.bigFileThreshold", "4g"]);
    const first = await gitText(repository, ["hash-object", "-w", path]);
    await writeFile(path, "and a line\n", { flag: "a" });
    const second = await gitText(repository, ["hash-object", "-w", path]);
    const sent = join(folder, "sent.pack");
    const command = `git -C "${repository}" pack-objects --stdout -q --delta-base-offset --window=2 > "${sent}"`;
    const child = spawn("sh", ["-c", command], { stdio: ["pipe", "ignore", "inherit"] });
    child.stdin.end(`${first} blob\n${second} blob\n`);
    await once(child, "close");
    expect((await stat(sent)).size, "git made a delta").toBeLessThan(500 * mebibyte);
    const result = await takenByChild(folder, sent);
    expect(result.ok).toBe(true);
    expect(result.peakBytes).toBeLessThan(300 * mebibyte);
  });
});

describeDamagedPacks(100);
