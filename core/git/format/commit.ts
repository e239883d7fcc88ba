import { defined } from "../../defined.ts";
import {
  decodeHeader,
  decodeText,
  encodeHeader,
  type ObjectHeader,
  parseHeaders,
  readHeaders,
  serializeHeaders,
} from "./headers.ts";
import { formatIdentity, type Identity, parseIdentity } from "./identity.ts";
import type { ObjectId } from "./object-format.ts";

/** A commit's parts. */
export interface Commit {
  tree: ObjectId;
  parents: ObjectId[];
  author: Identity;
  committer: Identity;
  /** Declared encoding of the message and names; absent means UTF-8. */
  encoding?: string;
  /** Every other header in its order, values latin1: gpgsig, gpgsig-sha256, mergetag, unknown ones. */
  extraHeaders: ObjectHeader[];
  /** The message as stored; `commitMessage` decodes it. */
  message: Buffer;
}

/** Reads a commit, forgiving historic oddities. Throws when it has no tree. */
export function parseCommit(data: Buffer): Commit {
  let tree: ObjectId | undefined;
  let author: string | undefined;
  let committer: string | undefined;
  let encoding: string | undefined;
  const parents: ObjectId[] = [];
  const extraHeaders: ObjectHeader[] = [];
  const message = readHeaders(data, (name, value) => {
    if (name === "tree" && tree === undefined) tree = value;
    else if (name === "parent") parents.push(value);
    else if (name === "author" && author === undefined) author = value;
    else if (name === "committer" && committer === undefined) committer = value;
    else if (name === "encoding" && encoding === undefined) encoding = value;
    else extraHeaders.push({ name, value });
  });
  if (tree === undefined) throw new Error("commit without a tree");
  return {
    tree,
    parents,
    author: parseIdentity(decodeHeader(author ?? "", encoding)),
    committer: parseIdentity(decodeHeader(committer ?? author ?? "", encoding)),
    ...defined({ encoding }),
    extraHeaders,
    message,
  };
}

/** The bytes of a commit. Identities are written in UTF-8; extra headers follow the committer. */
export function serializeCommit(commit: Commit): Buffer {
  const headers: ObjectHeader[] = [
    { name: "tree", value: commit.tree },
    ...commit.parents.map((parent) => ({ name: "parent", value: parent })),
    { name: "author", value: encodeHeader(formatIdentity(commit.author)) },
    { name: "committer", value: encodeHeader(formatIdentity(commit.committer)) },
  ];
  if (commit.encoding !== undefined) headers.push({ name: "encoding", value: commit.encoding });
  headers.push(...commit.extraHeaders);
  return serializeHeaders({ headers, message: commit.message });
}

/** The message as text. */
export const commitMessage = (commit: Pick<Commit, "message" | "encoding">): string =>
  decodeText(commit.message, commit.encoding);

/** A commit's signature and the bytes it signs; undefined when it is not signed. */
export function commitSignature(
  data: Buffer,
  header: "gpgsig" | "gpgsig-sha256" = "gpgsig",
): { signature: string; payload: Buffer } | undefined {
  const { headers, message } = parseHeaders(data);
  const signature = headers.find(({ name }) => name === header)?.value;
  if (signature === undefined) return undefined;
  const signed = headers.filter(({ name }) => name !== "gpgsig" && name !== "gpgsig-sha256");
  return { signature, payload: serializeHeaders({ headers: signed, message }) };
}
