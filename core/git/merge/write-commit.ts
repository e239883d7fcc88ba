import { serializeCommit } from "../format/commit.ts";
import { encodeHeader } from "../format/headers.ts";
import type { Identity } from "../format/identity.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { ObjectType } from "../format/object-type.ts";
import { serializeTag } from "../format/tag.ts";
import type { History } from "../history/history.ts";

/** Makes the armored signature of a commit's or tag's bytes. */
export type Sign = (payload: Buffer) => Promise<string> | string;

/** A commit to write; texts become UTF-8. */
export interface NewCommit {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: Identity;
  readonly committer: Identity;
  /** The message to write; a line feed is added at its end when it has none. */
  readonly message: string;
  readonly sign?: Sign;
}

/** Adds a commit to the history; gives its id. */
export async function writeCommit(history: History, commit: NewCommit): Promise<ObjectId> {
  const { tree, parents, author, committer } = commit;
  const message = Buffer.from(terminated(commit.message));
  const plain = { tree, parents: [...parents], author, committer, message };
  const payload = serializeCommit({ ...plain, extraHeaders: [] });
  if (commit.sign === undefined) return history.add("commit", payload);
  const name = history.format === "sha1" ? "gpgsig" : "gpgsig-sha256";
  const value = encodeHeader((await commit.sign(payload)).trimEnd());
  return history.add("commit", serializeCommit({ ...plain, extraHeaders: [{ name, value }] }));
}

/** An annotated tag to write. */
export interface NewTag {
  readonly name: string;
  readonly object: ObjectId;
  readonly type: ObjectType;
  readonly tagger: Identity;
  readonly message: string;
  readonly sign?: Sign;
}

/** Adds a tag to the history; answers its id. A signature goes at the end of the message. */
export async function writeTag(history: History, tag: NewTag): Promise<ObjectId> {
  const { name, object, type, tagger, sign } = tag;
  const plain = { name, object, type, tagger, extraHeaders: [] };
  const payload = serializeTag({ ...plain, message: Buffer.from(terminated(tag.message)) });
  if (sign === undefined) return history.add("tag", payload);
  return history.add("tag", Buffer.concat([payload, Buffer.from(terminated(await sign(payload)))]));
}

const terminated = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
