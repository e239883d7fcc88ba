import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FetchedSlice, fetchSlice } from "#core/git/client/fetch-slice";
import { beginFetch, collectFetch, type StagedFetch, withSmallerSlices } from "#core/git/client/staged-fetch";
import type { GitTransport, RemoteAddress } from "#core/git/client/transport";
import type { ObjectFormat } from "#core/git/format/object-format";
import { stagedPacks } from "#core/git/store/staged-packs";
import type { OpenRepository } from "#core/git/store/store";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import {
  addCommits,
  addressOf,
  cloned,
  emptyRepository,
  land,
  ourRefs,
  ourServer,
  realRemote,
  refsOf,
  transport,
} from "./remotes.ts";

/** A transport that breaks some answers off after some bytes. */
const breaking = (after: () => number): GitTransport => ({
  async open(request) {
    const answer = await transport.open(request);
    if (answer.kind !== "opened" || request.method === "GET") return answer;
    let left = after();
    const body = async function* () {
      for await (const piece of answer.body) {
        left -= piece.length;
        if (left < 0) throw Object.assign(new Error("broke off"), { name: "BrokenTransfer" });
        yield piece;
      }
    };
    return { ...answer, body: body() };
  },
});

/** Slices until all is there, over values that were written down and read again; each failure is tried again. */
async function sliceAll(
  address: RemoteAddress,
  repository: OpenRepository,
  between?: (staged: StagedFetch) => Promise<void>,
) {
  const packs = stagedPacks((await ourServer()).forge, repository);
  let staged: StagedFetch = beginFetch(repository);
  let [slices, failures] = [0, 0];
  const lines = new Map<string, number>();
  for (;;) {
    const outcome = await fetchSlice(packs, address, repository, staged, { sliceBytes: 40_000 });
    if (slices + failures > 500) throw new Error("no end");
    if (!outcome.ok) {
      failures += 1;
      if (outcome.reason.kind !== "unreachable") throw new Error(outcome.reason.message);
      staged = withSmallerSlices(staged);
      continue;
    }
    slices += 1;
    const name = outcome.value.staged.line?.name;
    if (name !== undefined) lines.set(name, (lines.get(name) ?? 0) + 1);
    staged = JSON.parse(JSON.stringify(outcome.value.staged)) as StagedFetch;
    if (outcome.value.isComplete) return { staged, slices, failures, lines, refs: outcome.value.refs };
    await between?.(staged);
  }
}

async function landStaged(repository: OpenRepository, staged: StagedFetch, refs: FetchedSlice["refs"]) {
  const packs = stagedPacks((await ourServer()).forge, repository);
  const collected = await collectFetch(packs, repository, staged);
  if (!collected.ok) throw new Error(collected.reason.message);
  const landed = await land(repository, refs.refs, collected.value.pack);
  await collected.value.dispose();
  await packs.discard(staged.id);
  return landed;
}

/** Fetches in slices over connections that break. */
export function describeStagedFetches(objects: number, cases: readonly [ObjectFormat, 0 | 2][]): void {
  describe.each(cases)("fetchSlice from git http-backend, %s, protocol version %i", (format, version) => {
    it("goes on after every broken connection; what lands is what a clone has", async () => {
      const random = createRandom();
      const remote = await realRemote(format, { objects, version });
      await addCommits(remote.folder, "pages", 14, 32_000);
      const ours = await emptyRepository(format);
      const address = addressOf(remote.url, {
        transport: breaking(() => (random.chance(0.2) ? random.integer(5_000) : Number.POSITIVE_INFINITY)),
      });
      const all = await sliceAll(address, ours.repository);
      expect(all.slices).toBeGreaterThan(2);
      expect(all.failures, `SEED=${random.seed}`).toBeGreaterThan(0);
      expect(all.lines.get("refs/heads/pages"), `SEED=${random.seed}`).toBeGreaterThan(0);
      const landed = await landStaged(ours.repository, all.staged, all.refs);
      expect(ourRefs(landed)).toEqual(await refsOf(remote.folder));
      const copy = await cloned(ours.url);
      const count = ["rev-list", "--objects", "--all", "--count"];
      expect(await gitText(copy, count)).toBe(await gitText(remote.folder, count));
      const { forge } = await ourServer();
      for await (const { key } of forge.blobs.list(`r/${ours.id}/f/`)) throw new Error(`${key} stayed`);
    });
  });
}

/** What moves between slices, many branches, our own server as the remote, and what was hidden. */
export function describeSlices(objects: number): void {
  describe("fetchSlice", () => {
    it("keeps what has come when the branch moves, and is rewritten, between two slices", async () => {
      const remote = await realRemote("sha1", { objects });
      const ours = await emptyRepository("sha1");
      let turn = 0;
      const all = await sliceAll(addressOf(remote.url), ours.repository, async () => {
        turn += 1;
        if (turn === 1) await addCommits(remote.folder, "main", 2);
        if (turn === 2) {
          await git(remote.folder, ["update-ref", "refs/heads/main", "main~4"]);
          await addCommits(remote.folder, "main", 1);
        }
      });
      const landed = await landStaged(ours.repository, all.staged, all.refs);
      expect(ourRefs(landed)).toEqual(await refsOf(remote.folder));
    });

    it("fetches in slices from our own server; an empty remote is complete at once", async () => {
      const source = await emptyRepository("sha1");
      const nothing = await sliceAll(addressOf(source.url), (await emptyRepository("sha1")).repository);
      expect(nothing.slices).toBe(1);
      const remote = await realRemote("sha1", { objects });
      const first = await sliceAll(addressOf(remote.url), source.repository);
      await landStaged(source.repository, first.staged, first.refs);
      const target = await emptyRepository("sha1");
      const second = await sliceAll(addressOf(source.url), target.repository);
      expect(second.slices).toBeGreaterThan(2);
      const landed = await landStaged(target.repository, second.staged, second.refs);
      expect(ourRefs(landed)).toEqual(await refsOf(remote.folder));
    });

    it("fetches many small branches in few requests, and what came since by another fetch", async () => {
      const remote = await realRemote("sha1");
      await addCommits(remote.folder, "main", 3);
      const tip = await gitText(remote.folder, ["rev-parse", "main"]);
      const branches = Array.from({ length: 200 }, (_, at) => `create refs/heads/topic-${at} ${tip}\n`);
      await git(remote.folder, ["update-ref", "--stdin"], branches.join(""));
      for (let at = 0; at < 6; at++) await addCommits(remote.folder, `topic-${at}`, 2);
      const ours = await emptyRepository("sha1");
      const first = await sliceAll(addressOf(remote.url), ours.repository);
      expect(first.slices).toBeLessThan(8);
      const landed = await landStaged(ours.repository, first.staged, first.refs);
      await addCommits(remote.folder, "main", 2);
      const second = await sliceAll(addressOf(remote.url), landed);
      expect([second.slices, second.staged.packs.length]).toEqual([2, 1]);
      expect(second.staged.packs[0]?.objects).toBeLessThanOrEqual(6);
      expect(ourRefs(await landStaged(landed, second.staged, second.refs))).toEqual(
        await refsOf(remote.folder),
      );
    });

    it("what is staged must be whole: a frontier that a remote hid is found when it is collected", async () => {
      const remote = await realRemote("sha1", { objects });
      const ours = await emptyRepository("sha1");
      const packs = stagedPacks((await ourServer()).forge, ours.repository);
      const first = await fetchSlice(
        packs,
        addressOf(remote.url),
        ours.repository,
        beginFetch(ours.repository),
      );
      if (!first.ok) throw new Error(first.reason.message);
      expect(first.value.staged.line?.frontier).toHaveLength(1);
      const collected = await collectFetch(packs, ours.repository, first.value.staged);
      expect(collected).toMatchObject({ ok: false, reason: { kind: "bad-pack" } });
    });
  });
}

/** Remotes that take something back, and remotes that withhold something. */
export function describeUnsteadyRemotes(): void {
  describe("fetchSlice from an unsteady remote", () => {
    it("begins one branch anew, and keeps the others, when it is rewritten or goes while its slices come", async () => {
      const remote = await realRemote("sha1");
      await addCommits(remote.folder, "main", 20, 20_000);
      await addCommits(remote.folder, "pages", 40, 20_000);
      await addCommits(remote.folder, "other", 40, 20_000);
      const ours = await emptyRepository("sha1");
      const seen = new Set<string>();
      const all = await sliceAll(addressOf(remote.url), ours.repository, async ({ line }) => {
        if (line === undefined || line.depth < 2 || seen.has(line.name)) return;
        seen.add(line.name);
        if (line.name === "refs/heads/pages") await git(remote.folder, ["update-ref", "-d", line.name]);
        if (line.name !== "refs/heads/other") return;
        await git(remote.folder, ["update-ref", "-d", line.name]);
        await addCommits(remote.folder, "other", 30, 20_000);
        await git(remote.folder, ["gc", "--prune=now", "--quiet"]);
      });
      expect([...seen].sort()).toEqual(["refs/heads/main", "refs/heads/other", "refs/heads/pages"]);
      expect(all.staged.restarts).toBeGreaterThan(0);
      const landed = await landStaged(ours.repository, all.staged, all.refs);
      expect(ourRefs(landed)).toEqual(await refsOf(remote.folder));
    });

    it("a remote that keeps back what is behind its border is given up after some tries", async () => {
      const remote = await realRemote("sha1");
      await addCommits(remote.folder, "main", 40);
      const cut = join(await temporaryFolder("file"), "cut.git");
      await git(remote.folder, ["clone", "-q", "--bare", "--depth=3", `file://${remote.folder}`, cut]);
      await rename(cut, join(dirname(remote.folder), "cut.git"));
      const ours = await emptyRepository("sha1");
      const address = addressOf(remote.url.replace("remote.git", "cut.git"));
      await expect(sliceAll(address, ours.repository)).rejects.toThrow(
        "the remote does not send what is behind its history's border",
      );
    });
  });
}
