import { wellFormed } from "../../../text.ts";
import { most, WorkflowMistake } from "../workflow.ts";

/** A mapping of a file. */
export type Mapping = Readonly<Record<string, unknown>>;

/** A value that has to be a mapping; `what` names it for the author. */
export function mapping(value: unknown, what: string): Mapping {
  if (!isMapping(value)) throw new WorkflowMistake(`${what} has to be a mapping`);
  return value;
}

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One text or a list of them, as a list; nothing is an empty one. */
export function listOf(value: unknown, what: string, longest: number, characters: number): string[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.length > longest) throw new WorkflowMistake(`${what} has more than ${longest} entries`);
  return list.map((one) => plainText(one, what, characters));
}

/** A text of usual length. */
export const shortText = (value: unknown, what: string): string =>
  plainText(value, what, most.nameCharacters * 4);

/** A text, or a number or truth value as one. */
function plainText(value: unknown, what: string, characters: number): string {
  if (!["string", "number", "boolean"].includes(typeof value)) {
    throw new WorkflowMistake(`${what} has to be text`);
  }
  const text = String(value);
  if (text.length > characters) throw new WorkflowMistake(`${what} is longer than ${characters} characters`);
  return wellFormed(text);
}
