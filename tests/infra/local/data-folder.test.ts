import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDataFolder } from "#infra/local/data-folder";
import { processIdentity } from "#infra/local/running-process";
import { StartError } from "#infra/local/start-error";
import { startChild } from "#tests/support/process/bundled-child";

describe("openDataFolder", () => {
  let parent: string;
  let path: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "coldforge-data-folder-"));
    path = join(parent, "deep", "data");
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it("creates the folder for this user alone and gives it up on release", async () => {
    const folder = openDataFolder(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    folder.release();
    folder.release();
    expect(await readdir(path)).toEqual(["tmp"]);
    openDataFolder(path).release();
  });

  it("refuses a folder in use and says by which process and since when", async () => {
    const holder = await startChild(
      `import { openDataFolder } from "#infra/local/data-folder";
      openDataFolder(process.argv[2]);
      console.log("opened");
      setInterval(() => undefined, 60_000);`,
      [path],
    );
    await holder.nextLine();
    const { since } = JSON.parse(await readFile(join(path, "lock"), "utf8"));
    expect(() => openDataFolder(path)).toThrow(StartError);
    expect(() => openDataFolder(path)).toThrow(
      `The data folder ${path} is in use by process ${holder.child.pid} since ${since}. ` +
        "Stop that process first, or set DATA_DIR to another folder.",
    );
    await holder.kill();
    const taken = openDataFolder(path);
    expect(JSON.parse(await readFile(join(path, "lock"), "utf8")).pid).toBe(process.pid);
    taken.release();
  });

  it("refuses a second opening by the same process", () => {
    const folder = openDataFolder(path);
    expect(() => openDataFolder(path)).toThrow(`in use by process ${process.pid}`);
    folder.release();
  });

  it.each([
    ["whose process number now belongs to another process", { pid: process.pid, identity: "earlier:1" }],
    ["of a process that is gone", { pid: 2 ** 22 - 1, identity: processIdentity(process.pid) }],
  ])("takes over a lock %s", async (_case, holder) => {
    openDataFolder(path).release();
    await writeFile(join(path, "lock"), JSON.stringify({ ...holder, since: "2020-01-01T00:00:00.000Z" }));
    openDataFolder(path).release();
  });

  it("takes over a lock that can't be read", async () => {
    openDataFolder(path).release();
    await writeFile(join(path, "lock"), '{"pid":');
    openDataFolder(path).release();
  });

  it("empties the temporary files of an earlier run", async () => {
    const first = openDataFolder(path);
    await writeFile(join(first.temporaryFolder, "spool"), "left behind");
    first.release();
    const second = openDataFolder(path);
    expect(await readdir(second.temporaryFolder)).toEqual([]);
    second.release();
  });

  it("names the folder, the cause and DATA_DIR when the folder can't be written", async () => {
    await writeFile(join(parent, "file"), "");
    const below = join(parent, "file", "data");
    expect(() => openDataFolder(below)).toThrow(
      `Can't write to the data folder ${below}: a part of the path is a file. ` +
        "Make it writable for this user, or set DATA_DIR to another folder.",
    );
    expect(() => openDataFolder(join(parent, "file"))).toThrow("it is a file, not a folder");
  });

  it("refuses a folder where the system lets none be made, below a parent that is there", () => {
    expect(() => openDataFolder("/proc/coldforge/data")).toThrow(
      /^Can't write to the data folder \/proc\/coldforge\/data: .+ set DATA_DIR to another folder\.$/,
    );
  });
});
