import { isDotGit, isDotGitmodules } from "./check-path.ts";
import { type ObjectFormat, objectIdBytes } from "./object-format.ts";
import { typeCodes } from "./object-type.ts";
import { type ObjectProblem, problem } from "./problem.ts";

/** Receives the references of a new object: binary ids inside a buffer that is valid only during the call. */
export interface ReferenceSink {
  /** `typeCode` is the kind the object must have (`typeCodes`; 0 = any). */
  addReference(buffer: Uint8Array, at: number, typeCode: number): void;
  /** The blob is used as `.gitmodules`, which clients act on. */
  addGitmodules(buffer: Uint8Array, at: number): void;
}

const slash = 0x2f;
const kindMask = 0o170000;
const largestMode = 0o177777;
const directoryKind = 0o040000;
const linkKind = 0o120000;
const gitlinkKind = 0o160000;
const regularKind = 0o100000;

/**
 * The errors of `git fsck` for a tree, names that endanger a checkout, zero ids and modes of no known kind. Tolerated:
 * permissions other than 644 and 755 (100664 in old trees) and modes written with a leading zero.
 */
export function checkTree(
  format: ObjectFormat,
  data: Uint8Array,
  sink?: ReferenceSink,
): ObjectProblem | undefined {
  const walk = new TreeCheck(data, objectIdBytes(format));
  while (walk.at < data.length) {
    const wrong = walk.nextEntry();
    if (wrong !== undefined) return wrong;
    const kind = walk.mode & kindMask;
    if (kind === gitlinkKind || sink === undefined) continue;
    sink.addReference(data, walk.idAt, kind === directoryKind ? typeCodes.tree : typeCodes.blob);
    if (walk.isGitmodules) sink.addGitmodules(data, walk.idAt);
  }
  return undefined;
}

/** One pass over a tree's bytes. All state is numbers: an ingest mostly checks trees. */
class TreeCheck {
  at = 0;
  mode = 0;
  idAt = 0;
  isGitmodules = false;
  private readonly data: Uint8Array;
  private readonly idBytes: number;
  private nameAt = 0;
  private nameEnd = 0;
  private isOddName = false;
  private previousAt = -1;
  private previousEnd = 0;
  private isPreviousTree = false;
  /** Lengths of earlier file names that are prefixes of the current name: a later directory must not repeat one. */
  private readonly prefixes: number[] = [];

  constructor(data: Uint8Array, idBytes: number) {
    this.data = data;
    this.idBytes = idBytes;
  }

  /** Moves over one entry; `mode`, `idAt` and `isGitmodules` are its. */
  nextEntry(): ObjectProblem | undefined {
    if (!this.readMode() || !this.readName()) return problem("badTree", "a tree that can't be read");
    this.idAt = this.nameEnd + 1;
    this.at = this.idAt + this.idBytes;
    if (this.at > this.data.length) return problem("badTree", "a tree that is cut short");
    return this.checkMode() ?? this.checkName() ?? this.checkOrder() ?? this.checkId();
  }

  private readMode(): boolean {
    const { data } = this;
    let mode = 0;
    let at = this.at;
    const limit = at + 8;
    for (; at < limit; at++) {
      const digit = (data[at] as number) - 0x30;
      if (digit >= 0 && digit <= 7) mode = mode * 8 + digit;
      else break;
    }
    if (at === this.at || data[at] !== 0x20) return false;
    this.mode = mode;
    this.nameAt = at + 1;
    return true;
  }

  private readName(): boolean {
    const { data } = this;
    const length = data.length;
    let isOdd = false;
    let at = this.nameAt;
    for (; at < length; at++) {
      const byte = data[at] as number;
      if (byte === 0) break;
      // Slash, backslash, tilde, and the lead bytes of code points that HFS+ ignores.
      if (byte === slash || byte === 0x5c || byte === 0x7e || byte === 0xe2 || byte === 0xef) isOdd = true;
    }
    this.nameEnd = at;
    this.isOddName = isOdd || data[this.nameAt] === 0x2e;
    return at < length;
  }

  private checkMode(): ObjectProblem | undefined {
    const kind = this.mode & kindMask;
    const isKnown =
      kind === regularKind || kind === directoryKind || kind === linkKind || kind === gitlinkKind;
    return isKnown && this.mode <= largestMode
      ? undefined
      : problem("badFilemode", `a tree with mode ${this.mode.toString(8)}`);
  }

  private checkName(): ObjectProblem | undefined {
    this.isGitmodules = false;
    if (this.nameEnd === this.nameAt) return problem("emptyName", "a tree with an empty name");
    if (!this.isOddName) return undefined;
    const name = this.data.subarray(this.nameAt, this.nameEnd);
    if (name.includes(slash)) return problem("fullPathname", "a tree with a slash in a name");
    if (name[0] === 0x2e && name.length === 1) return problem("hasDot", 'a tree with an entry "."');
    if (name[0] === 0x2e && name[1] === 0x2e && name.length === 2) {
      return problem("hasDotdot", 'a tree with an entry ".."');
    }
    if (isDotGit(name)) return problem("hasDotgit", 'a tree with an entry that stands for ".git"');
    if (!isDotGitmodules(name)) return undefined;
    if ((this.mode & kindMask) === linkKind) {
      return problem("gitmodulesSymlink", ".gitmodules is a symbolic link");
    }
    this.isGitmodules = (this.mode & kindMask) === regularKind;
    return undefined;
  }

  private checkOrder(): ObjectProblem | undefined {
    const { data, previousAt, previousEnd, nameAt, nameEnd } = this;
    const isTree = (this.mode & kindMask) === directoryKind;
    let wrong: ObjectProblem | undefined;
    if (previousAt >= 0) {
      let common = 0;
      const shorter = Math.min(previousEnd - previousAt, nameEnd - nameAt);
      while (common < shorter && data[previousAt + common] === data[nameAt + common]) common++;
      const before =
        previousAt + common < previousEnd ? data[previousAt + common] : this.isPreviousTree ? slash : 0;
      const after = nameAt + common < nameEnd ? data[nameAt + common] : isTree ? slash : 0;
      wrong = this.checkRepeated(common, isTree, before === after);
      if ((before as number) > (after as number))
        wrong = problem("treeNotSorted", "a tree that is not sorted");
    }
    this.previousAt = nameAt;
    this.previousEnd = nameEnd;
    this.isPreviousTree = isTree;
    return wrong;
  }

  private checkRepeated(common: number, isTree: boolean, isSameKey: boolean): ObjectProblem | undefined {
    const { prefixes } = this;
    while (prefixes.length > 0 && (prefixes.at(-1) as number) > common) prefixes.pop();
    if (!this.isPreviousTree && common === this.previousEnd - this.previousAt) prefixes.push(common);
    const isRepeated = isSameKey || (isTree && prefixes.at(-1) === this.nameEnd - this.nameAt);
    return isRepeated ? problem("duplicateEntries", "a tree with two entries of one name") : undefined;
  }

  private checkId(): ObjectProblem | undefined {
    for (let at = this.idAt; at < this.at; at++) if (this.data[at] !== 0) return undefined;
    return problem("nullSha1", "a tree with an entry that names no object");
  }
}
