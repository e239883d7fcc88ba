import type { Forge } from "../forge.ts";
import { type Commit, commitSignature } from "../git/object/commit.ts";
import type { ObjectId } from "../git/object/object-format.ts";
import type { History } from "../git/walk/history.ts";

/** What is known of a signature. `reason` is one of the family's words, whether it holds or why not. */
export interface Verification {
  readonly isVerified: boolean;
  readonly reason: string;
  /** Empty where nothing is signed. */
  readonly signature: string;
  readonly payload: string;
  readonly signer?: { readonly name: string; readonly email: string; readonly username: string };
}

/** A signature with the bytes that it is for. */
export interface Signed {
  readonly signature: string;
  readonly payload: Buffer;
}

const notSigned: Verification = {
  isVerified: false,
  reason: "gpg.error.not_signed_commit",
  signature: "",
  payload: "",
};
/** Payloads have no bound of their own: larger ones are not shown, nor the signature over them. */
const mostShown = 65_536;

/** Judges the signatures of some commits, in their order. */
export async function verifyCommits(
  forge: Forge,
  history: History,
  commits: readonly { readonly id: ObjectId; readonly commit: Commit }[],
): Promise<Verification[]> {
  const signed: (Signed | undefined)[] = [];
  for (const { id, commit } of commits) signed.push(await signatureOf(history, id, commit));
  return verifyAll(forge, signed);
}

/**
 * Judges signatures, in their order; undefined stands for what is not signed. No keys are known yet, so none holds:
 * who verifies against the keys of accounts does it here, for commits, tags and branches alike.
 */
export async function verifyAll(
  _forge: Forge,
  signed: readonly (Signed | undefined)[],
): Promise<Verification[]> {
  return signed.map((one) => (one === undefined ? notSigned : unverified(one)));
}

function unverified({ signature, payload }: Signed): Verification {
  const isShown = payload.length <= mostShown;
  return {
    isVerified: false,
    reason: "gpg.error.no_gpg_keys_found",
    signature: isShown ? signature : "",
    payload: isShown ? payload.toString("utf8") : "",
  };
}

/** A commit's signature; its bytes are read again only where there is one. */
async function signatureOf(history: History, id: ObjectId, commit: Commit): Promise<Signed | undefined> {
  const header = history.format === "sha1" ? "gpgsig" : "gpgsig-sha256";
  if (!commit.extraHeaders.some(({ name }) => name === header)) return undefined;
  return commitSignature((await history.object(id)).data, header);
}
