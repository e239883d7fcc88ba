import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ListPartsCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { packKey } from "#core/git/pack/pack-files";
import type { PushReport } from "#core/git/protocol/report";
import { takePush } from "#core/git/protocol/take-push";
import { newRoot, openRepository } from "#core/git/store/store";
import { bareRepository, git, gitText, packOfRevisions, temporaryFolder } from "#tests/git/pack/real-git";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { main } from "./pushes.ts";

const megabyte = 2 ** 20;

/** A folder's branch `main` with so many commits, each with this much that can't be compressed. */
async function makeHistory(commits: number, bytes: number): Promise<string> {
  const folder = await temporaryFolder("file");
  await git(folder, ["init", "-q", "-b", "main", "."]);
  await git(folder, ["config", "core.compression", "0"]);
  await git(folder, ["config", "core.bigFileThreshold", "1m"]); // git would look in vain for deltas among noise
  for (let at = 1; at <= commits; at += 1) {
    await writeFile(join(folder, `random-${at}`), randomBytes(bytes));
    await writeFile(join(folder, "text"), `${"line\n".repeat(2_000)}${at}\n`);
    await git(folder, ["add", "."]);
    await git(folder, ["commit", "-q", "-m", `commit ${at}`]);
  }
  return folder;
}

describe("a push of more than two parts of 16 MB (issue 4, part 3)", () => {
  let made: TestForge;
  let folder: string;
  /** Of two commits, and what is asked to be their tip. */
  let pack: Buffer;
  let tip: string;
  let aborted: { Bucket: string; Key: string; UploadId: string } | undefined;
  let lastId = 60_000;
  beforeAll(async () => {
    made = await makeForge();
    folder = await makeHistory(3, 17 * megabyte);
    pack = await packOfRevisions(folder, ["main~1"]);
    tip = await gitText(folder, ["rev-parse", "main~1"]);
  });
  afterEach(() => {
    made.faults.recover();
    aborted = undefined;
  });
  afterAll(() => made.stop());

  /** Pushes a pack as the new value of `main`; what was asked of S3 meanwhile, by operation. */
  async function push(id: number, pack: Uint8Array, commit: string, old?: string) {
    const repository = await openRepository(made.forge, id);
    if (repository === undefined) throw new Error("there is no repository");
    made.faults.inject({
      ...{ service: "s3", operation: "AbortMultipartUpload", fault: new Error("never"), times: 0 },
      fits: ({ Bucket, Key, UploadId }: NonNullable<typeof aborted>) => {
        aborted = { Bucket, Key, UploadId };
        return false;
      },
    });
    const commands = {
      changes: [{ name: main, new: commit, ...(old && { old }) }],
      ...{ capabilities: new Map(), shallow: [], pushOptions: [] },
    };
    async function* pieces() {
      for (let at = 0; at < pack.length; at += megabyte) yield pack.subarray(at, at + megabyte);
    }
    let report: PushReport | undefined;
    const { usage } = await measured(async () => {
      report = await takePush(made.forge, repository, commands, pieces(), { pusherId: 1 });
    });
    const ofS3 = Object.entries(usage.operations).filter(([name]) => name.startsWith("s3:"));
    return { report, operations: Object.fromEntries(ofS3) };
  }

  async function makeTarget(): Promise<number> {
    lastId += 1;
    await made.forge.table.write(newRoot(lastId, { format: "sha1", defaultBranch: "main" }));
    return lastId;
  }

  async function keysOf(id: number): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of made.forge.blobs.list(`r/${id}/`)) keys.push(key);
    return keys;
  }

  async function requireNoParts(): Promise<void> {
    if (aborted === undefined) throw new Error("no upload was given up");
    const { credentials, region, s3Endpoint } = made.standIns;
    const client = new S3Client({ credentials, region, endpoint: s3Endpoint, forcePathStyle: true });
    const listed = client.send(new ListPartsCommand(aborted));
    await expect(listed).rejects.toHaveProperty("name", "NoSuchUpload");
    client.destroy();
  }

  /** What git makes of the newest pack as it is stored. */
  async function verify(id: number): Promise<string> {
    const stored = (await openRepository(made.forge, id))?.root.packs.at(-1);
    if (stored === undefined) throw new Error("there is no pack");
    const copy = await bareRepository("sha1");
    const path = join(copy, "stored.pack");
    await writeFile(path, await made.forge.blobs.get(packKey(stored)));
    return gitText(copy, ["index-pack", path]);
  }

  it("stores the pack byte for byte, in as many requests as without", async () => {
    const id = await makeTarget();
    const { report, operations } = await push(id, pack, tip);
    expect(report?.results).toEqual([{ name: main }]);
    expect(operations).toEqual({
      "s3:CreateMultipartUpload": 1,
      "s3:UploadPart": Math.ceil(pack.length / (16 * megabyte)),
      "s3:CompleteMultipartUpload": 1,
      "s3:PutObject": 1,
    });
    const stored = (await openRepository(made.forge, id))?.root.packs[0];
    expect(stored?.packBytes).toBe(pack.length);
    expect((await made.forge.blobs.get(`${stored?.key}.pack`)).equals(pack)).toBe(true);
  });

  it("stores a thin pack completed: its header and its end are sent last", async () => {
    const id = await makeTarget();
    const [first, last] = [
      await gitText(folder, ["rev-parse", "main~2"]),
      await gitText(folder, ["rev-parse", "main"]),
    ];
    await push(id, await packOfRevisions(folder, ["main~2"]), first);
    const thin = await packOfRevisions(folder, ["main", `^${first}`], ["--thin"]);
    const { report } = await push(id, thin, last, first);
    expect(report?.results).toEqual([{ name: main }]);
    const stored = (await openRepository(made.forge, id))?.root.packs.at(-1);
    expect(stored?.packBytes).toBeGreaterThan(thin.length);
    expect(await verify(id)).toMatch(/^(pack\t)?[\da-f]{40}$/);
  });

  it("begins before the checks have ended, and keeps nothing of a pack that they refuse", async () => {
    const id = await makeTarget();
    const broken = Buffer.from(pack);
    broken[broken.length - 1] = (broken[broken.length - 1] ?? 0) ^ 1;
    const { report, operations } = await push(id, broken, tip);
    expect(report?.problem).toContain("checksum");
    expect(operations).toMatchObject({ "s3:CreateMultipartUpload": 1, "s3:AbortMultipartUpload": 1 });
    expect(operations).not.toHaveProperty("s3:CompleteMultipartUpload");
    expect(await keysOf(id)).toEqual([]);
    await requireNoParts();
  });

  it("keeps nothing where a ref has moved meanwhile", async () => {
    const id = await makeTarget();
    const { report, operations } = await push(id, pack, tip, "1".repeat(40));
    expect(report?.results[0]?.refusal).toBeDefined();
    expect(operations).toMatchObject({ "s3:CreateMultipartUpload": 1, "s3:AbortMultipartUpload": 1 });
    expect(await keysOf(id)).toEqual([]);
    await requireNoParts();
  });

  it("refuses the push where a part does not get through, and keeps nothing", async () => {
    const id = await makeTarget();
    made.faults.inject({
      service: "s3",
      operation: "UploadPart",
      fault: new Error("no such luck"),
      times: 1,
    });
    const { report } = await push(id, pack, tip);
    expect(report?.problem).toContain("the server failed");
    expect(await keysOf(id)).toEqual([]);
    const again = await push(id, pack, tip);
    expect(again.report?.results).toEqual([{ name: main }]);
    expect(await verify(id)).toMatch(/[\da-f]{40}$/);
  });
});
