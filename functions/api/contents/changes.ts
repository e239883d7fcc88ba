import type { ZonedTime } from "#core/code/authorship";
import type { FilesChange } from "#core/code/change-files";
import { defined } from "#core/defined";
import { secondsFrom } from "../../http/timestamps.ts";
import { type CommitOptions, isZeroTime } from "./write-schema.ts";

/** A request's wishes about its commit, in core's terms. */
export function changeFrom(options: CommitOptions): Omit<FilesChange, "files"> {
  const { message, branch, new_branch, author, committer, dates, signoff, force_push } = options;
  const authoredAt = zonedTime(dates?.author);
  const committedAt = zonedTime(dates?.committer);
  return {
    ...defined({ message, branch, newBranch: new_branch }),
    ...defined({ author: author && personFrom(author), committer: committer && personFrom(committer) }),
    ...defined({ authoredAt, committedAt, isSignedOff: signoff, isForced: force_push }),
  };
}

const personFrom = ({ name = "", email = "" }: NonNullable<CommitOptions["author"]>) => ({ name, email });

/** The moment with its zone; the family's zero time stands for none. */
function zonedTime(text: string | undefined): ZonedTime | undefined {
  if (text === undefined || isZeroTime(text)) return undefined;
  const [, hours = "+00", minutes = "00"] = /([+-]\d\d):?(\d\d)$/.exec(text) ?? [];
  return { seconds: secondsFrom(text), timezone: `${hours}${minutes}` };
}
