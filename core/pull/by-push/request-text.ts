import { commitMessage, parseCommit } from "../../git/format/commit.ts";
import { shortened } from "../../text.ts";
import type { AskedRequest } from "./request-ref.ts";

/** As many characters as a title and a description may have (D-TEXT). */
const most = { title: 255, body: 65_536 } as const;

/** Title and description of a request made by a push: as given, else those of its newest commit, else the topic. */
export function requestText(
  { title, description, topic }: AskedRequest,
  commitData: Buffer,
): { readonly title: string; readonly body: string } {
  const [subject = "", ...rest] = commitMessage(parseCommit(commitData)).trim().split("\n");
  return {
    title: withoutNul(title ?? shortened(subject.trim() || topic, most.title)),
    body: withoutNul(description ?? shortened(rest.join("\n").trim(), most.body)),
  };
}

/** No other text of a request may hold NUL characters. */
const withoutNul = (text: string): string => text.replaceAll("\0", "\ufffd");
