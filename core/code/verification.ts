import type { Forge } from "../forge.ts";
import { type Commit, commitSignature } from "../git/format/commit.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { History } from "../git/history/history.ts";
import { type Judgement, judgeSignatures } from "../verification/verification.ts";

/** The result for a signature, and what is shown of it. Not everybody may know of its signer: `judgementFor`. */
export interface Verification extends Judgement {
  /** Empty when nothing is signed. */
  readonly signature: string;
  readonly payload: string;
  /** Of the committer or tagger. */
  readonly email: string;
}

/** A signature with the bytes that it is for. */
export interface Signed {
  readonly signature: string;
  readonly payload: Buffer;
  /** Of the committer or tagger: the signature counts for its owner alone. */
  readonly email: string;
}

/** Neither payloads nor signatures have a bound of their own: larger ones are not shown, nor is what belongs to them. */
const mostShown = 65_536;

/** Judges the signatures of some commits, in their order. */
export async function verifyCommits(
  forge: Forge,
  history: History,
  commits: readonly { readonly id: ObjectId; readonly commit: Commit }[],
): Promise<Verification[]> {
  const signed: (Signed | undefined)[] = [];
  for (const { id, commit } of commits) signed.push(await signatureOf(history, id, commit));
  return verifySigned(forge, signed);
}

/** Judges signatures with the keys that users have added, in the order given; undefined stands for unsigned. */
export async function verifySigned(
  forge: Forge,
  all: readonly (Signed | undefined)[],
): Promise<Verification[]> {
  const judgements = await judgeSignatures(forge, all);
  return judgements.map((judgement, at) => {
    const signed = all[at];
    const isShown =
      signed !== undefined && signed.payload.length <= mostShown && signed.signature.length <= mostShown;
    return {
      ...judgement,
      signature: isShown ? signed.signature : "",
      payload: isShown ? signed.payload.toString("utf8") : "",
      email: signed?.email ?? "",
    };
  });
}

/** A commit's signature. Its bytes are read again only when there is one. */
async function signatureOf(history: History, id: ObjectId, commit: Commit): Promise<Signed | undefined> {
  const header = history.format === "sha1" ? "gpgsig" : "gpgsig-sha256";
  if (!commit.extraHeaders.some(({ name }) => name === header)) return undefined;
  const found = commitSignature((await history.object(id)).data, header);
  return found === undefined ? undefined : { ...found, email: commit.committer.email };
}
