import type { Code } from "../../code/open.ts";
import { commitMessage, parseCommit } from "../../git/format/commit.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { wellFormed } from "../../text.ts";

const longest = 255;

/** The message of a commit. */
export async function messageOf({ history }: Code, commitId: ObjectId): Promise<string> {
  const { data } = await history.object(commitId);
  return commitMessage(parseCommit(data));
}

/** First line of a commit's message: the title of runs. */
export const firstLineOf = async (code: Code, commitId: ObjectId): Promise<string> =>
  firstLine(await messageOf(code, commitId));

export const firstLine = (message: string): string =>
  wellFormed((message.trimStart().split("\n", 1)[0] ?? "").slice(0, longest));
