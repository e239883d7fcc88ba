/** The four kinds of git object. */
export type ObjectType = "commit" | "tree" | "blob" | "tag";

/** An object in the form that is hashed: its kind and its inflated content. */
export interface GitObject {
  type: ObjectType;
  data: Buffer;
}

/** The number that packs use for each kind (gitformat-pack). */
export const typeCodes: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };

const typesByCode: readonly (ObjectType | undefined)[] = [undefined, "commit", "tree", "blob", "tag"];

/** The kind with a pack's number; undefined for delta entries and unknown numbers. */
export const typeOfCode = (code: number): ObjectType | undefined => typesByCode[code];

/** True for the four words that name a kind. */
export const isObjectType = (word: string): word is ObjectType => Object.hasOwn(typeCodes, word);
