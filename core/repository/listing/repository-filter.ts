import { flagsAt, newRow, type Row, type SureTest } from "../../list-index/entry-kind.ts";
import { FlagTest, holdsNumber, occursIn, searchText } from "../../list-index/packing.ts";
import { repositoryAt, repositoryFlags } from "./repository-entry.ts";

/** A repository as a caller's predicate sees it: read from the entry's bytes when asked. Don't keep it. */
export interface RepositoryView {
  readonly id: number;
  readonly ownerId: number;
  readonly isPrivate: boolean;
  readonly isFork: boolean;
  readonly isMirror: boolean;
  /** The units of its item, as bits (`bitsOfUnits`). */
  readonly units: number;
  hasTeam(teamId: number): boolean;
  /** In lower case; empty unless the filter `readsTopics`. */
  topics(): string[];
}

/** Filters for repositories. Absent members filter nothing; all given ones must hold. */
export interface RepositoryFilter {
  /**
   * A part of the name, in any case; of the description or a topic, too, when `searches` says so. Commas separate
   * alternatives.
   */
  readonly keyword?: string;
  readonly searches?: {
    readonly descriptions?: boolean;
    /** Topics that are the keyword, or hold it. */
    readonly topics?: "whole" | "part";
    readonly names?: boolean;
  };
  readonly ownerIds?: ReadonlySet<number>;
  /** Only these: the result of another list (stars, collaborations). */
  readonly ids?: ReadonlySet<number>;
  readonly teamId?: number;
  readonly isPrivate?: boolean;
  readonly isFork?: boolean;
  readonly isMirror?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  readonly isEmpty?: boolean;
  /** Loads topics for `accepts`. */
  readonly readsTopics?: boolean;
  /** Whether the caller may see it, and any other condition that only the caller knows. */
  readonly accepts?: (repository: RepositoryView) => boolean;
  /**
   * The repositories that `accepts` certainly accepts: their result is kept when nothing else is filtered. Code that
   * narrows `accepts` removes it.
   */
  readonly surely?: SureTest<RepositoryView> | undefined;
}

/** The test for certain matches, when a filter asks only for what the caller may see. */
export function sureTest({ surely, accepts, ...others }: RepositoryFilter): SureTest<Row> | undefined {
  if (surely === undefined || accepts === undefined || Object.keys(others).length > 0) return undefined;
  const view = new EntryView();
  return {
    ...surely,
    holds(row) {
      view.row = row;
      return surely.holds(view);
    },
  };
}

/** A test of the rows that a filter accepts. */
export function matcher(filter: RepositoryFilter): (row: Row) => boolean {
  const flags = new FlagTest()
    .require(repositoryFlags.private, filter.isPrivate)
    .require(repositoryFlags.fork, filter.isFork)
    .require(repositoryFlags.mirror, filter.isMirror)
    .require(repositoryFlags.template, filter.isTemplate)
    .require(repositoryFlags.archived, filter.isArchived)
    .require(repositoryFlags.empty, filter.isEmpty);
  const { ids, ownerIds, teamId, accepts } = filter;
  const hasKeyword = keywordTest(filter);
  const view = new EntryView();
  return (row) => {
    const { id, bytes, at } = row;
    if (!flags.holds(bytes.readUInt8(at + flagsAt))) return false;
    if (ids !== undefined && !ids.has(id)) return false;
    if (ownerIds !== undefined && !ownerIds.has(bytes.readUInt32BE(at + repositoryAt.owner))) return false;
    view.row = row;
    if (teamId !== undefined && !view.hasTeam(teamId)) return false;
    return hasKeyword(row) && (accepts === undefined || accepts(view));
  };
}

/** More alternatives than this count for nothing: each is looked for in every entry. */
const mostAlternatives = 10;

function keywordTest({ keyword = "", searches = {} }: RepositoryFilter): (row: Row) => boolean {
  if (keyword === "") return () => true;
  const words = keyword.split(",").filter((word) => word !== "");
  const tests = words.slice(0, mostAlternatives).map((word) => wordTest(word, searches));
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : (row) => tests.some((test) => test(row));
}

function wordTest(
  word: string,
  { names = true, descriptions = false, topics }: NonNullable<RepositoryFilter["searches"]>,
): (row: Row) => boolean {
  const needle = searchText(word, Number.POSITIVE_INFINITY);
  return ({ bytes, at, text, textAt }) => {
    const nameAt = at + repositoryAt.name;
    const nameEnd = nameAt + bytes.readUInt8(at + repositoryAt.nameLength);
    if (names && occursIn(bytes, nameAt, nameEnd, needle)) return true;
    if (text === undefined || !(topics !== undefined || descriptions)) return false;
    let place = textAt + 2;
    for (let left = text.readUInt8(textAt + 1); left > 0; left -= 1) {
      const length = text.readUInt8(place);
      const start = place + 1;
      const mayHold = topics === "part" || (topics === "whole" && length === needle.length);
      if (mayHold && occursIn(text, start, start + length, needle)) return true;
      place = start + length;
    }
    const end = place + 2 + text.readUInt16BE(place);
    return descriptions && occursIn(text, place + 2, end, needle);
  };
}

/** The view for the caller's predicate, over the bytes of the current row. */
class EntryView implements RepositoryView {
  row: Row = newRow();

  get id(): number {
    return this.row.id;
  }
  get ownerId(): number {
    return this.row.bytes.readUInt32BE(this.row.at + repositoryAt.owner);
  }
  get isPrivate(): boolean {
    return this.#has(repositoryFlags.private);
  }
  get isFork(): boolean {
    return this.#has(repositoryFlags.fork);
  }
  get isMirror(): boolean {
    return this.#has(repositoryFlags.mirror);
  }
  get units(): number {
    return this.row.bytes.readUInt16BE(this.row.at + repositoryAt.units);
  }
  hasTeam(teamId: number): boolean {
    const { bytes, at } = this.row;
    const teamsAt = at + repositoryAt.name + bytes.readUInt8(at + repositoryAt.nameLength);
    return holdsNumber(bytes, teamsAt, bytes.readUInt16BE(at + repositoryAt.teamCount), teamId);
  }
  topics(): string[] {
    const { text, textAt } = this.row;
    if (text === undefined) return [];
    let end = textAt + 2;
    return Array.from({ length: text.readUInt8(textAt + 1) }, () => {
      const start = end + 1;
      end = start + text.readUInt8(end);
      return text.toString("utf8", start, end);
    });
  }
  #has(flag: number): boolean {
    return (this.row.bytes.readUInt8(this.row.at + flagsAt) & flag) !== 0;
  }
}
