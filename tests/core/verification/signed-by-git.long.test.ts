import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitSignature } from "#core/git/format/commit";
import { tagSignature } from "#core/git/format/tag";
import { createGpgKey } from "#core/gpg-key/gpg-key";
import { createPublicKey } from "#core/public-key/public-key";
import { createUser } from "#core/user/create";
import type { User } from "#core/user/user.table";
import { judgeSignatures } from "#core/verification/verification";
import { makeForge, type TestForge } from "#tests/support/forge";

const run = promisify(execFile);
const email = "alice@example.com";

let world: TestForge;
let alice: User;
let home: string;
beforeAll(async () => {
  world = await makeForge();
  alice = await createUser(world.forge, { name: "alice", email, password: "correct-horse-9" });
  home = await mkdtemp(join(tmpdir(), "coldforge-signed-"));
  await call("gpg", [
    "--batch",
    "--quiet",
    "--passphrase",
    "",
    "--quick-gen-key",
    `Alice <${email}>`,
    "ed25519",
  ]);
  const { stdout: armoredKey } = await call("gpg", ["--armor", "--export", email]);
  await createGpgKey(world.forge, alice, { armoredKey });
  for (const type of ["ed25519", "ecdsa", "rsa"]) {
    await call("ssh-keygen", ["-q", "-t", type, "-N", "", "-f", join(home, type)]);
    const key = await readFile(join(home, `${type}.pub`), "utf8");
    await createPublicKey(world.forge, alice.id, { title: type, key });
  }
});
afterAll(async () => {
  await call("gpgconf", ["--kill", "all"]);
  await rm(home, { recursive: true });
  await world.stop();
});

/** Runs a program that sees no settings and keys but those of this test, at a time before the forge's clock. */
const call = (program: string, words: string[], options: { encoding?: "buffer" } = {}) => {
  const who = { GIT_AUTHOR_NAME: "Alice", GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: "Alice" };
  const environment = { PATH: process.env.PATH, HOME: home, GNUPGHOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  return run(program, words, {
    ...options,
    env: { ...environment, ...who, GIT_COMMITTER_EMAIL: email } as NodeJS.ProcessEnv,
  }) as Promise<{ stdout: string }>;
};

const signers = [
  ["gpg", ["-c", `user.signingkey=${email}`]],
  ...["ed25519", "ecdsa", "rsa"].map(
    (type) => [`ssh ${type}`, ["-c", "gpg.format=ssh", "-c", `user.signingkey=%${type}`]] as const,
  ),
] as const;

describe.each(["sha1", "sha256"] as const)("verifyAll, in %s", (format) => {
  it.each(signers)(
    "knows what git signed with %s: a commit and a tag, and neither when changed",
    async (name, options) => {
      const folder = join(home, `${format}-${name.replace(" ", "-")}`);
      await call("git", ["init", "-q", `--object-format=${format}`, folder]);
      const settings = options.map((word) => word.replace(/%(\w+)$/, (_whole, type) => join(home, type)));
      const git = (...words: string[]) => call("git", ["-C", folder, ...settings, ...words]);
      await git("commit", "-q", "--allow-empty", "-S", "-m", "Subject\n\nÜmläut body");
      await git("tag", "-s", "-m", "A tag\n\n-----BEGIN PGP SIGNATURE-----\nnot one\n", "v1");
      const [commit, tag] = await Promise.all(
        ["commit", "tag"].map(async (type) => {
          const words = ["-C", folder, "cat-file", type, type === "tag" ? "v1" : "HEAD"];
          const { stdout } = await call("git", words, { encoding: "buffer" });
          return stdout as unknown as Buffer;
        }),
      );
      if (commit === undefined || tag === undefined) throw new Error("git made none");
      const ofCommit = commitSignature(commit, format === "sha1" ? "gpgsig" : "gpgsig-sha256");
      const ofTag = tagSignature(tag);
      if (ofCommit === undefined || ofTag === undefined) throw new Error("git signed nothing");
      const judged = await judgeSignatures(world.forge, [
        { ...ofCommit, email },
        { ...ofTag, email },
        { ...ofCommit, payload: ofTag.payload, email },
        { ...ofTag, payload: Buffer.concat([ofTag.payload, Buffer.from("\n")]), email },
      ]);
      expect(judged.map(({ isVerified }) => isVerified)).toEqual([true, true, false, false]);
      expect(judged[0]?.reason).toMatch(name === "gpg" ? /^alice \/ [0-9A-F]{16}$/ : /^alice \/ SHA256:/);
    },
  );
});
