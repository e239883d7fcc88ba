import { type ObjectFormat, objectIdLength, zeroId } from "./object-format.ts";
import { isObjectType } from "./object-type.ts";
import { type ObjectProblem, problem } from "./problem.ts";

/** Header lines of a commit or tag, taken one at a time from its start. */
class HeaderLines {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The rest of the next line if it starts with `name` and a space; undefined leaves it unread. */
  take(name: string): string | undefined {
    if (!this.text.startsWith(`${name} `, this.at)) return undefined;
    const end = this.text.indexOf("\n", this.at);
    const value = this.text.slice(this.at + name.length + 1, end);
    this.at = end + 1;
    return value;
  }
}

/** Headers of a commit or tag beside its parents: each becomes a value wherever the object is read. */
const mostHeaders = 10_000;

function hasTooManyHeaders(text: string): boolean {
  if (text.length < 2 * mostHeaders) return false;
  let count = 0;
  for (const _line of text.matchAll(/^(?!parent | )/gm)) {
    count += 1;
    if (count > mostHeaders) return true;
  }
  return false;
}

/** The text of a whole header with its last line break, or why there is none. */
function headerText(data: Buffer): string | ObjectProblem {
  const gap = data.indexOf("\n\n");
  const end = gap < 0 ? data.length : gap + 1;
  const header = data.subarray(0, end);
  if (header.includes(0)) return problem("nulInHeader", "a NUL byte in the header");
  if (gap < 0 && data[data.length - 1] !== 0x0a) {
    return problem("unterminatedHeader", "the header does not end");
  }
  const text = header.toString("latin1");
  return hasTooManyHeaders(text) ? problem("manyHeaders", `more than ${mostHeaders} headers`) : text;
}

/** The errors of `git fsck` for a commit, and NUL bytes in its message. */
export function checkCommit(format: ObjectFormat, data: Buffer): ObjectProblem | undefined {
  const text = headerText(data);
  if (typeof text !== "string") return text;
  const lines = new HeaderLines(text);
  const tree = lines.take("tree");
  if (tree === undefined) return problem("missingTree", "a commit without a tree");
  if (!isSomeId(format, tree)) return problem("badTreeSha1", "a commit with an invalid tree id");
  for (let parent = lines.take("parent"); parent !== undefined; parent = lines.take("parent")) {
    if (!isSomeId(format, parent)) return problem("badParentSha1", "a commit with an invalid parent id");
  }
  const author = lines.take("author");
  if (author === undefined) return problem("missingAuthor", "a commit without an author");
  const wrongAuthor = checkIdentity(author, "author");
  if (wrongAuthor !== undefined) return wrongAuthor;
  if (lines.take("author") !== undefined) return problem("multipleAuthors", "a commit with several authors");
  const committer = lines.take("committer");
  if (committer === undefined) return problem("missingCommitter", "a commit without a committer");
  const wrongCommitter = checkIdentity(committer, "committer");
  if (wrongCommitter !== undefined) return wrongCommitter;
  return data.includes(0) ? problem("nulInCommit", "a commit with a NUL byte") : undefined;
}

/** The errors of `git fsck` for an annotated tag. A missing tagger is tolerated: old tags have none. */
export function checkTag(format: ObjectFormat, data: Buffer): ObjectProblem | undefined {
  const text = headerText(data);
  if (typeof text !== "string") return text;
  const lines = new HeaderLines(text);
  const object = lines.take("object");
  if (object === undefined) return problem("missingObject", "a tag without an object");
  if (!isSomeId(format, object)) return problem("badObjectSha1", "a tag with an invalid object id");
  const type = lines.take("type");
  if (type === undefined) return problem("missingTypeEntry", "a tag without a type");
  if (!isObjectType(type)) return problem("badType", "a tag with an unknown type");
  const name = lines.take("tag");
  if (name === undefined) return problem("missingTagEntry", "a tag without a name");
  const tagger = lines.take("tagger");
  return tagger === undefined ? undefined : checkIdentity(tagger, "tagger");
}

const isSomeId = (format: ObjectFormat, text: string): boolean =>
  text.length === objectIdLength(format) && /^[0-9a-f]+$/.test(text) && text !== zeroId(format);

const latestSecond = 2n ** 63n - 1n;

/**
 * Name, e-mail, date. Some oddities are tolerated, because histories of old projects hold them and they mislead nobody:
 * no name before the e-mail address, no space before it or before the date, and any time zone made of a sign and
 * digits.
 */
function checkIdentity(value: string, who: string): ObjectProblem | undefined {
  const open = value.search(/[<>]/);
  if (open < 0) return problem("missingEmail", `${who} without an e-mail address`);
  if (value[open] === ">") return problem("badName", `${who} with a bad name`);
  const close = open + 1 + value.slice(open + 1).search(/[<>]/);
  if (close === open || value[close] !== ">") return problem("badEmail", `${who} with a bad e-mail address`);
  const [, date, rest] = /^ ?(\d+)(.*)$/s.exec(value.slice(close + 1)) ?? [];
  if (date === undefined || rest === undefined) return problem("badDate", `${who} with a bad date`);
  if (date.length > 1 && date.startsWith("0")) return problem("zeroPaddedDate", `${who} with a padded date`);
  if (date.length > 19 || BigInt(date) > latestSecond) {
    return problem("badDateOverflow", `${who} with a date too far away`);
  }
  if (!rest.startsWith(" ")) return problem("badDate", `${who} with a bad date`);
  return /^ [+-]\d+$/.test(rest) ? undefined : problem("badTimezone", `${who} with a bad time zone`);
}
