import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Blobs } from "#core/blobs";
import { makeForge, type TestForge } from "#tests/support/forge";

/** A bucket for the tests of a file, each with a prefix of its own. */
export interface BlobsPlace {
  readonly on: TestForge;
  readonly prefix: string;
  blobs(): Blobs;
  /** Those under the prefix. */
  keys(): Promise<string[]>;
  /** A file of random bytes. */
  file(sizeBytes: number): Promise<{ path: string; bytes: Buffer }>;
  /** A client of the same bucket. */
  client(): S3Client;
}

/** The place of a file's tests: made before them, stopped after them. */
export function blobsPlace(): BlobsPlace {
  let on: TestForge;
  let folder = "";
  let tests = 0;
  const prefix = () => `t${tests}/`;
  beforeAll(async () => {
    on = await makeForge();
    folder = await mkdtemp(join(tmpdir(), "coldforge-blobs-"));
  });
  beforeEach(() => {
    on.faults.recover();
    tests += 1;
  });
  afterAll(async () => {
    await on.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get on() {
      return on;
    },
    get prefix() {
      return prefix();
    },
    blobs: () => on.forge.blobs,
    async keys() {
      const found: string[] = [];
      for await (const { key } of on.forge.blobs.list(prefix())) found.push(key);
      return found;
    },
    async file(sizeBytes) {
      const path = join(folder, `${tests}`);
      const bytes = randomBytes(sizeBytes);
      await writeFile(path, bytes);
      return { path, bytes };
    },
    client() {
      const { s3Endpoint: endpoint, region, credentials } = on.standIns;
      return new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    },
  };
}

export const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
