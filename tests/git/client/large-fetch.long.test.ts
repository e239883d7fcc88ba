import { spawn } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { expect, it } from "vitest";
import { fetchSlice } from "#core/git/client/fetch-slice";
import { beginFetch, collectFetch, type StagedFetch, withSmallerSlices } from "#core/git/client/staged-fetch";
import type { GitTransport } from "#core/git/client/transport";
import { stagedPacks } from "#core/git/store/staged-packs";
import { git } from "#tests/git/pack/real-git";
import {
  addressOf,
  emptyRepository,
  land,
  ourRefs,
  ourServer,
  realRemote,
  refsOf,
  transport,
} from "./remotes.ts";

/** `LARGE_FETCH_MIB=1024` tries a gigabyte, and prints what it took. */
const mebibytes = Number(process.env.LARGE_FETCH_MIB ?? 32);
const mebibyte = 2 ** 20;

/** Commits with a file of 1 MiB each that doesn't compress, half of them on a branch that shares nothing with main. */
async function addLargeFiles(folder: string): Promise<void> {
  await git(folder, ["config", "core.bigFileThreshold", "512k"]); // git would look in vain for deltas among noise
  const args = ["-C", folder, "-c", "core.compression=0", "-c", "pack.compression=0"];
  const importing = spawn("git", [...args, "fast-import", "--quiet", "--depth=0", "--done"], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const content = Buffer.allocUnsafe(mebibyte);
  for (let at = 0; at < mebibytes; at++) {
    const branch = at % 2 === 0 ? "main" : "assets";
    const head =
      `commit refs/heads/${branch}\ncommitter A <a@example.org> ${1_700_000_000 + at} +0000\ndata 1\nx\n` +
      `M 100644 inline file-${at % 8}\ndata ${content.length}\n`;
    randomFillSync(content);
    if (!importing.stdin.write(Buffer.concat([Buffer.from(head), content, Buffer.from("\n")])))
      await once(importing.stdin, "drain");
  }
  importing.stdin.end("done\n");
  const [code] = await once(importing, "exit");
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

it(`fetchSlice: ${mebibytes} MiB that break off again and again come once, with what they broke off, in flat memory`, {
  timeout: 3_600_000,
}, async () => {
  const remote = await realRemote("sha1");
  await addLargeFiles(remote.folder);
  const { repository } = await emptyRepository("sha1");
  const { forge } = await ourServer();
  const sliceBytes = (mebibytes / 16) * mebibyte;
  let received = 0;
  let breaksAfter = sliceBytes * 3;
  const breaking: GitTransport = {
    async open(request) {
      const answer = await transport.open(request);
      if (answer.kind !== "opened") return answer;
      const body = async function* () {
        for await (const piece of answer.body) {
          received += piece.length;
          if (received > breaksAfter) {
            breaksAfter += sliceBytes * 5;
            throw Object.assign(new Error("broke off"), { name: "BrokenTransfer" });
          }
          yield piece;
        }
      };
      return { ...answer, body: body() };
    },
  };
  const address = addressOf(remote.url, { transport: breaking });
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 100);
  const start = performance.now();
  const cpu = process.cpuUsage();
  const packs = stagedPacks(forge, repository);
  let staged: StagedFetch = beginFetch(repository);
  let [slices, failures] = [0, 0];
  for (let isComplete = false; !isComplete; ) {
    const outcome = await fetchSlice(packs, address, repository, staged, { sliceBytes });
    if (outcome.ok) {
      ({ staged, isComplete } = outcome.value);
      slices += 1;
    } else {
      expect(outcome.reason).toEqual({ kind: "unreachable", message: "broke off" });
      staged = withSmallerSlices(staged);
      failures += 1;
    }
  }
  const collected = await collectFetch(packs, repository, staged);
  if (!collected.ok) throw new Error(collected.reason.message);
  const refs = (await refsOf(remote.folder)).map((line) => ({
    id: line.split(" ")[0] as string,
    name: line.split(" ")[1] as string,
  }));
  const landed = await land(repository, refs, collected.value.pack);
  clearInterval(sampling);
  await collected.value.dispose();
  await packs.discard(staged.id);
  if (process.env.LARGE_FETCH_MIB !== undefined) {
    const { user, system } = process.cpuUsage(cpu);
    const grown = Math.round((peak - before) / mebibyte);
    console.log({
      slices,
      failures,
      receivedMiB: Math.round(received / mebibyte),
      grownMiB: grown,
      peakMiB: Math.round(peak / mebibyte),
      seconds: Math.round((performance.now() - start) / 1000),
      cpuSeconds: Math.round((user + system) / 1e6),
    });
  }
  expect(ourRefs(landed)).toEqual(await refsOf(remote.folder));
  expect(failures).toBeGreaterThan(1);
  // All of it, and for each break less than the slice that broke.
  expect(received).toBeLessThan(mebibytes * mebibyte + failures * 4 * sliceBytes + 5 * mebibyte);
  expect(peak - before).toBeLessThan(400 * mebibyte);
});
