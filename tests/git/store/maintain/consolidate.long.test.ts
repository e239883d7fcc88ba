import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type GitServer, startGitServer } from "../../http/git-server.ts";
import { cloneAndCheck, Folders } from "../../http/real-git.ts";
import { Pushed } from "./consolidated.ts";

let server: GitServer;
let made = 0;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(async () => {
  server.faults.recover();
  await folders.remove();
});
afterAll(() => server.stop());

async function make(): Promise<{ pushed: Pushed; url: string }> {
  made += 1;
  const { id, url } = await server.create(`many-${made}`);
  return { pushed: new Pushed(server, id), url };
}

describe("consolidate", () => {
  it("goes with pushes and clones at the same time; nothing is lost and each clone is whole", async () => {
    const { pushed, url } = await make();
    await pushed.push(6);
    const pushing = pushed.push(8);
    const clones = Promise.all([cloneAndCheck(folders, url), cloneAndCheck(folders, url)]);
    const outcomes = new Set<string>();
    for (let round = 0; round < 4; round += 1) outcomes.add(await pushed.consolidate());
    await Promise.all([pushing, clones]);
    expect(outcomes).toContain("consolidated");
    await pushed.readAll();
    await cloneAndCheck(folders, url);
  });

  it("leaves a repository whole wherever it is killed, and the next one comes to the end", async () => {
    for (const when of ["before", "after"] as const) {
      for (let write = 1; write <= 4; write += 1) {
        const { pushed } = await make();
        await pushed.push(4);
        server.faults.crashAt(write, when);
        await pushed.consolidate().catch(() => undefined);
        expect(server.faults.hasCrashed).toBe(true);
        server.faults.recover();
        await pushed.readAll();
        await pushed.consolidate();
        expect((await pushed.root()).packs).toHaveLength(1);
        await pushed.readAll();
      }
    }
  });
});
