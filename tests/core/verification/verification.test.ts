import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeployKey } from "#core/deploy-key/deploy-key";
import {
  createGpgKey,
  gpgVerificationToken,
  removeGpgKey,
  verifyGpgKeyOwnership,
} from "#core/gpg-key/gpg-key";
import { createPublicKey } from "#core/public-key/public-key";
import { put } from "#core/table/write";
import { createUser } from "#core/user/create";
import { renameUser } from "#core/user/edit";
import { findUsersByEmail, noReplyEmail } from "#core/user/email";
import { addEmails } from "#core/user/emails";
import { emailAddressKey, type User } from "#core/user/user.table";
import { judgementFor, judgeSignatures, type Signed } from "#core/verification/verification";
import { makeForge, type TestForge } from "#tests/support/forge";
import { gpgSign, makeGpgPair } from "#tests/support/git/gpg";
import { makeSshSigner } from "#tests/support/git/ssh-signer";

let world: TestForge;
let alice: User;
let hidden: User;
const password = "correct-horse-9";
const payload = Buffer.from("tree …\n\nsigned\n");

beforeAll(async () => {
  world = await makeForge();
  alice = await createUser(world.forge, { name: "alice", email: "alice@example.com", password });
  hidden = await createUser(world.forge, {
    name: "hidden",
    email: "hidden@example.com",
    password,
    visibility: "private",
  });
});
afterAll(() => world.stop());

const judge = async (signed: Signed | undefined) => (await judgeSignatures(world.forge, [signed]))[0];
const refused = (reason: string) => ({ isVerified: false, reason: `gpg.error.${reason}` });

describe("verifyAll", () => {
  it("knows SSH signatures by a user's key for their own address, in any case of its letters", async () => {
    const signer = makeSshSigner();
    const signature = signer.signs(payload);
    const email = "Alice@Example.com";
    expect(await judge({ signature, payload, email })).toEqual(refused("no_gpg_keys_found"));
    const { fingerprint } = await createPublicKey(world.forge, alice.id, { title: "a", key: signer.line });
    const judgement = await judge({ signature, payload, email });
    expect(judgement).toMatchObject({ isVerified: true, reason: `alice / ${fingerprint}` });
    expect(judgement?.signer?.id).toBe(alice.id);
    const noReply = noReplyEmail(world.forge.config, alice);
    expect(await judge({ signature, payload, email: noReply })).toMatchObject({ isVerified: true });
    const changed = Buffer.concat([payload, Buffer.from("!")]);
    expect(await judge({ signature, payload: changed, email })).toEqual(refused("probable_bad_signature"));
    const elsewhere = signer.signs(payload, "file");
    expect(await judge({ signature: elsewhere, payload, email })).toEqual(refused("probable_bad_signature"));
    expect(await judge({ signature, payload, email: "hidden@example.com" })).toEqual(
      refused("no_committer_account"),
    );
  });

  it("takes no address that is not activated, and no deploy key", async () => {
    const signer = makeSshSigner();
    const signature = signer.signs(payload);
    await createPublicKey(world.forge, alice.id, { title: "b", key: signer.line });
    const email = "waiting@example.com";
    const row = { ...emailAddressKey(alice.id, email), email, isPrimary: false, _v: 1 };
    await world.forge.table.write(put({ ...row, isVerified: false }));
    expect(await judge({ signature, payload, email })).toEqual(refused("no_committer_account"));
    await world.forge.table.write(put({ ...row, isVerified: true }));
    expect(await judge({ signature, payload, email })).toMatchObject({ isVerified: true });
    const deployed = makeSshSigner();
    await createDeployKey(world.forge, 1, { title: "ci", key: deployed.line });
    expect(await judge({ signature: deployed.signs(payload), payload, email })).toEqual(
      refused("no_gpg_keys_found"),
    );
  });

  it("takes no hidden address of a former name: whoever has the name now is meant", async () => {
    const { forge } = world;
    const before = await createUser(forge, { name: "before", email: "before@example.com", password });
    const email = noReplyEmail(forge.config, before);
    await addEmails(forge, before, [email]);
    const signer = makeSshSigner();
    await createPublicKey(forge, before.id, { title: "c", key: signer.line });
    const signed = { signature: signer.signs(payload), payload, email };
    expect(await judge(signed)).toMatchObject({ isVerified: true });
    expect((await findUsersByEmail(forge, undefined, [email])).get(email)?.id).toBe(before.id);
    await renameUser(forge, before, "after");
    expect(await judge(signed)).toEqual(refused("no_committer_account"));
    expect(await findUsersByEmail(forge, undefined, [email])).toEqual(new Map());
  });

  it("knows GPG signatures, for the addresses that the key names, and for all once it signed the token", async () => {
    const { forge } = world;
    const pair = await makeGpgPair({ name: "Alice", email: "alice@example.com" });
    const signature = await gpgSign(pair, payload);
    const signed = { signature, payload, email: "alice@example.com" };
    const other = { ...signed, email: noReplyEmail(forge.config, alice) };
    expect(await judge(signed)).toEqual(refused("no_gpg_keys_found"));
    const key = await createGpgKey(forge, alice, { armoredKey: pair.armored });
    const judgement = await judge(signed);
    expect(judgement).toMatchObject({ isVerified: true, reason: `alice / ${key.signingKeyIds[1]}` });
    expect(await judge(other)).toEqual(refused("no_committer_account"));
    const changed = Buffer.concat([payload, Buffer.from("!")]);
    expect(await judge({ ...signed, payload: changed })).toEqual(refused("probable_bad_signature"));
    const armoredSignature = await gpgSign(pair, gpgVerificationToken(forge, alice));
    await verifyGpgKeyOwnership(forge, alice, { keyId: key.keyId, armoredSignature });
    expect(await judge(other)).toMatchObject({ isVerified: true });
    await removeGpgKey(forge, alice.id, key.id);
    expect(await judge(signed)).toEqual(refused("no_gpg_keys_found"));
  });

  it("answers in order, and says what is not signed, not readable, or of a kind without known keys", async () => {
    const signature = "-----BEGIN SIGNED MESSAGE-----\nAAAA\n-----END SIGNED MESSAGE-----\n";
    const email = "alice@example.com";
    const judged = await judgeSignatures(world.forge, [
      undefined,
      { signature: "garbage", payload, email },
      { signature: "-----BEGIN SSH SIGNATURE-----".padEnd(100_000, "A"), payload, email },
      { signature, payload, email },
    ]);
    expect(judged).toEqual([
      refused("not_signed_commit"),
      refused("extract_sign"),
      refused("extract_sign"),
      refused("no_gpg_keys_found"),
    ]);
  });
});

describe("judgementFor", () => {
  it("tells nothing of a hidden signer to callers who may not know of them", async () => {
    const signer = makeSshSigner();
    await createPublicKey(world.forge, hidden.id, { title: "h", key: signer.line });
    const judgement = await judge({ signature: signer.signs(payload), payload, email: hidden.email });
    if (judgement === undefined) throw new Error("nothing was judged");
    expect(judgement.isVerified).toBe(true);
    expect(judgementFor({ user: hidden }, judgement)).toBe(judgement);
    for (const actor of [undefined, { user: alice }]) {
      expect(judgementFor(actor, judgement)).toEqual(refused("no_gpg_keys_found"));
    }
  });
});
