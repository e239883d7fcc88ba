import { parseCommit } from "../format/commit.ts";

/** Whether a commit's author, as `Name <address>`, contains a text given in lower case. */
export function commitMatchesAuthor(data: Buffer, lowered: string): boolean {
  const { author } = parseCommit(data);
  return `${author.name} <${author.email}>`.toLowerCase().includes(lowered);
}
