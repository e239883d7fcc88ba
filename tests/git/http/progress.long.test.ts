import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { zeroId } from "#core/git/format/object-format";
import { createPack } from "#core/git/pack/create-pack";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { keepAliveFrame } from "#core/git/protocol/side-band";
import { ask, commandOf, readAnswer } from "#tests/git/fetch/raw-fetch";
import { type GitServer, startGitServer } from "./git-server.ts";
import { objectsOf, packOf, rawPush, readReport, sendPush } from "./raw-push.ts";
import { Folders, git, runGit, tryGit, WorkingCopy } from "./real-git.ts";

/** What a rule or the store waits for: the test lets go once a client was shown what it looks for. */
let gate: Promise<void>;
let release: () => void;
let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer({
    keepAliveMs: 10,
    // The first block of a pack has what leads to its large file: the file itself is held.
    wrapBlobs: (blobs) => ({
      ...blobs,
      async read(key, start, end) {
        if (end > 2 ** 20) await gate;
        return blobs.read(key, start, end);
      },
      async *stream(...range) {
        await gate;
        yield* blobs.stream(...range);
      },
    }),
  });
});
beforeEach(() => {
  gate = new Promise((resolve) => {
    release = resolve;
  });
});
afterAll(async () => {
  release();
  await server.stop();
  await folders.remove();
});

/** Runs git and lets go of the gate once it has shown `text`; answers all that it showed. */
function showing(folder: string, args: readonly string[], text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let shown = "";
    const child = spawn("git", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      shown += piece;
      if (shown.includes(text)) release();
    });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(shown) : reject(new Error(shown))));
  });
}

describe.each(["sha1", "sha256"] as const)("progress (%s)", (format) => {
  const rules = {
    judge: async () => {
      await gate;
      return [];
    },
  };

  /** Six thousand files: their checks take more than a moment on any machine. */
  let work: WorkingCopy;
  beforeAll(async () => {
    work = await WorkingCopy.init(folders, format);
    const texts = Array.from({ length: 6_000 }, (_, at) => `${at} ${randomBytes(200).toString("hex")}\n`);
    const made = createPack(
      format,
      texts.map((text) => ({ type: "blob", data: Buffer.from(text) })),
    );
    await runGit(work.folder, ["index-pack", "--stdin"], { input: made.pack });
    const list = made.ids.map((id, at) => `100644 blob ${id}\tfile-${at}\n`).join("");
    const tree = await git(work.folder, ["mktree"], { input: list });
    const tip = await work.git("commit-tree", "-m", "many files", tree);
    await work.git("update-ref", "refs/heads/main", tip);
  });

  it("of a push is shown by git, and not with -q", async () => {
    const { url } = await server.create(`push-${format}`, { format, rules });
    const shown = await showing(
      work.folder,
      ["push", "--progress", url, "main"],
      "remote: Checking objects:",
    );
    expect(shown).toMatch(/remote: Checking objects: \d+% \(\d+\/6002\)/);
    expect((await work.try("push", "-q", url, "main:quiet")).stderr).toBe("");
  });

  it("of a push with quiet is none: empty frames alone keep the answer alive", async () => {
    const { url } = await server.create(`quiet-${format}`, { format, rules });
    const tip = await work.git("rev-parse", "main");
    const pack = await packOf(work.folder, await objectsOf(work.folder, "main"));
    const commands = [{ old: zeroId(format), new: tip, name: "refs/heads/main" }];
    const capabilities = `report-status side-band-64k quiet object-format=${format}`;
    const answer = await sendPush(url, rawPush(commands, pack, capabilities));
    // The answer begins with a frame, while the rules still wait.
    release();
    const { lines, messages, keepAlives } = await readReport(answer);
    expect([lines, messages]).toEqual([["unpack ok", "ok refs/heads/main"], ""]);
    expect(keepAlives).toBeGreaterThan(0);
  });

  describe("of a clone", () => {
    let url: string;
    let tip: string;
    beforeAll(async () => {
      ({ url } = await server.create(`clone-${format}`, { format }));
      const work = await WorkingCopy.init(folders, format);
      await work.commit({ "a.txt": "first\n" });
      tip = await work.commit({ "noise.txt": randomBytes(2 ** 21).toString("hex") });
      await work.git("push", "-q", url, "main");
    });
    beforeEach(() => processPackCaches.clear());

    it.each(["0", "2"])("is shown by git, and not with -q, protocol %s", async (version) => {
      const clone = ["-c", `protocol.version=${version}`, "clone", "--bare", "--depth=1"];
      const folder = await folders.make();
      const text = "remote: Selecting objects: ";
      expect(await showing(folder, [...clone, "--progress", url, "loud"], text)).toContain(text);
      processPackCaches.clear();
      expect((await tryGit(folder, [...clone, "-q", url, "quiet"])).stderr).toBe("");
    });

    it.each([
      ["no-progress", keepAliveFrame],
      ["ofs-delta", Buffer.from("\x02Selecting objects: ")],
    ])("raw, with %s", async (argument, shown) => {
      const args = [argument, `want ${tip}`, "deepen 1", "done"];
      const answer = await ask(url, commandOf(format, "fetch", args));
      const pieces: Uint8Array[] = [];
      for await (const piece of answer.body as ReadableStream<Uint8Array>) {
        pieces.push(piece);
        const said = Buffer.concat(pieces);
        if (said.includes(shown)) release();
      }
      const { progress, pack, keepAlives } = await readAnswer(new Response(Buffer.concat(pieces)));
      expect(pack.toString("latin1", 0, 4)).toBe("PACK");
      if (argument === "no-progress") expect([progress, keepAlives > 0]).toEqual(["", true]);
      else expect(progress).toMatch(/Selecting objects: \d+\r/);
    });
  });
});
