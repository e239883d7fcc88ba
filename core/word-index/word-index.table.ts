import { padded } from "../ids.ts";
import { issueIndexPartition } from "../list-index/list-index.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A text with searchable words: an issue's (title and body), or one of its comments'. */
export interface TextPlace {
  readonly repositoryId: number;
  readonly number: number;
  /** 0: the issue's own text. */
  readonly commentId: number;
}

/**
 * An edit's work left for the index: the words of a text are those posted and `added`, without `removed`. Words are one
 * string, separated by spaces.
 */
export interface WaitingWords extends Item {
  /** In the text, and perhaps not posted yet. */
  readonly added: string;
  /** Not in the text, and perhaps still posted. */
  readonly removed: string;
  /** The edit version of the text's holder: the condition of posting. */
  readonly v: number;
  readonly _v: 1;
}

/** The words of one member of a waiting item. */
export const splitWords = (words: string): string[] => (words === "" ? [] : words.split(" "));

/** Says that a text holds a word. */
export interface Posting extends Item {
  readonly _v: 1;
}

/** A text in sort keys: `<number>[.<comment>]`. */
export const textName = ({ number, commentId }: TextPlace): string =>
  commentId === 0 ? padded(number) : `${padded(number)}.${padded(commentId)}`;
/** The text that a name stands for. */
export function placeOf(repositoryId: number, name: string): TextPlace {
  const [number, commentId] = name.split(".");
  return { repositoryId, number: Number(number), commentId: Number(commentId ?? 0) };
}

export const waitingPrefix = "W#";
/** The partition of the words that wait to be posted. */
export const waitingPartition = issueIndexPartition;
export const waitingKey = (place: TextPlace): TableKey => ({
  pk: waitingPartition(place.repositoryId),
  sk: `${waitingPrefix}${textName(place)}`,
});
/** The name of the text that a waiting item belongs to. */
export const waitingText = ({ sk }: TableKey): string => sk.slice(waitingPrefix.length);

/** The partition of a repository's postings, by word. */
export const postingsPartition = (repositoryId: number): string => `${repositoryPartition(repositoryId)}#K`;
/**
 * The beginning of the sort keys of exactly this word's postings; without the last character: of all words that it
 * begins.
 */
export const postingPrefix = (word: string): string => `${word}#`;
export const postingKey = (place: TextPlace, word: string): TableKey => ({
  pk: postingsPartition(place.repositoryId),
  sk: `${postingPrefix(word)}${textName(place)}`,
});
/** Word and text of a posting. */
export function partsOfPosting({ sk }: TableKey): { word: string; text: string } {
  const at = sk.indexOf("#");
  return { word: sk.slice(0, at), text: sk.slice(at + 1) };
}
