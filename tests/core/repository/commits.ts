import { serializeCommit } from "#core/git/format/commit";
import { emptyTreeId, type ObjectFormat, type ObjectId, objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { createPack } from "#core/git/pack/create-pack";
import type { NewPack } from "#core/git/pack/new-pack";

/** What a test's commit says; its files are none. */
export interface TestCommit {
  readonly message?: string;
  readonly parents?: readonly ObjectId[];
  readonly seconds?: number;
  readonly author?: { readonly name: string; readonly email: string };
  readonly format?: ObjectFormat;
  /** The pack brings the commit alone: its tree is there already. */
  readonly isTreeKnown?: boolean;
  /** Makes the armored signature of the commit's bytes. */
  readonly sign?: (payload: Buffer) => string;
}

/** A commit and a pack that holds it, as a push brings them. */
export function makeCommit(given: TestCommit = {}): { id: ObjectId; pack: NewPack } {
  const { message = "words\n", parents = [], seconds = 1_800_000_000, format = "sha1" } = given;
  const author = { name: "A. U. Thor", email: "author@example.com", ...given.author };
  const identity = { ...author, seconds, timezone: "+0130" };
  const commit = {
    tree: emptyTreeId(format),
    parents: [...parents],
    author: identity,
    committer: { ...identity, name: "C. O. Mitter" },
    extraHeaders: [],
    message: Buffer.from(message),
  };
  const header = format === "sha1" ? "gpgsig" : "gpgsig-sha256";
  const signature = given.sign?.(serializeCommit(commit)).trimEnd();
  const extraHeaders = signature === undefined ? [] : [{ name: header, value: signature }];
  const objects: GitObject[] = [
    { type: "commit", data: serializeCommit({ ...commit, extraHeaders }) },
    ...(given.isTreeKnown === true ? [] : [{ type: "tree" as const, data: Buffer.alloc(0) }]),
  ];
  return packOf(format, objects);
}

function packOf(format: ObjectFormat, objects: readonly GitObject[]): { id: ObjectId; pack: NewPack } {
  const { pack, side, objectCount } = createPack(format, objects);
  const byId = new Map(objects.map((object) => [objectIdOf(format, object.type, object.data), object]));
  const [id = ""] = byId.keys();
  return {
    id,
    pack: {
      packBytes: pack.length,
      objects: objectCount,
      side,
      content: pack,
      read: async (wanted) => byId.get(wanted),
      refersTo: (wanted) => wanted === emptyTreeId(format) && !byId.has(wanted),
      unreferenced: [id],
    },
  };
}
