import { filterPaced } from "../../concurrency/pacer.ts";
import { defined } from "../../defined.ts";
import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import { findHidden } from "../history/select/hidden-objects.ts";
import { type ObjectFilter, parseFilter } from "../history/select/object-filter.ts";
import {
  type Deepening,
  type ShallowHistory,
  shallowHistory,
  wholeDepth,
  wholeHistory,
} from "../history/select/shallow-history.ts";
import { decodeRefName } from "../refs/ref-name.ts";
import { type GitRefs, type GitRepository, headEntry } from "../repository.ts";
import { ProtocolError } from "./protocol-error.ts";
import { addBounded, idOf } from "./upload-request.ts";

/** The most borders of a client's history, and the most refs that a range may exclude. */
const mostShallows = 50_000;
const mostExcluded = 1_000;

/**
 * The lines of a fetch that all versions share: where the client's history ends and is to end, and what is left out.
 */
export class FetchLines {
  filter: ObjectFilter | undefined;
  readonly #format: ObjectFormat;
  readonly #shallows = new Set<ObjectId>();
  readonly #excluded = new Set<string>();
  #depth: number | undefined;
  #sinceSeconds: number | undefined;
  #isRelative = false;

  constructor(format: ObjectFormat) {
    this.#format = format;
  }

  /** Takes a line in; false when it is none of these. Throws ProtocolError on a bad value. */
  take(line: string): boolean {
    const [word = ""] = line.split(" ", 1);
    const value = line.slice(word.length + 1);
    if (word === "shallow")
      addBounded(
        this.#shallows,
        idOf(this.#format, line, "shallow"),
        mostShallows,
        "borders of a shallow clone",
      );
    else if (word === "deepen") this.#depth = positive(line, value, wholeDepth);
    else if (word === "deepen-since") this.#sinceSeconds = positive(line, value, Number.MAX_SAFE_INTEGER);
    else if (word === "deepen-not") addBounded(this.#excluded, value, mostExcluded, "refs excluded");
    else if (line === "deepen-relative") this.#isRelative = true;
    else if (word === "filter") this.#takeFilter(value);
    else return false;
    return true;
  }

  #takeFilter(spec: string): void {
    const filter = parseFilter(spec);
    if ("problem" in filter) throw new ProtocolError(filter.problem);
    this.filter = filter;
  }

  /** A depth counts from the client's own borders: in v0 a capability says so. */
  setRelative(): void {
    this.#isRelative = true;
  }

  /** Whether the client asks for another border than it has. */
  get isDeepening(): boolean {
    return this.#depth !== undefined || this.#sinceSeconds !== undefined || this.#excluded.size > 0;
  }

  /** Whether there is anything to say of borders. */
  get isShallow(): boolean {
    return this.isDeepening || this.#shallows.size > 0;
  }

  /** The border of history for this client. Throws ProtocolError for an impossible request. */
  async history(
    repository: GitRepository,
    wants: readonly ObjectId[],
    signal?: AbortSignal,
  ): Promise<ShallowHistory> {
    if (!this.isShallow) return wholeHistory;
    const deepening = this.#deepening(repository);
    const packs = await repository.packs();
    const isBorder = (id: ObjectId) => {
      const place = packs.find(id);
      if (place !== undefined && packs.typeOf(place) !== "commit") {
        throw new ProtocolError(`invalid shallow object ${id}`);
      }
      return place !== undefined;
    };
    const borders = await filterPaced(this.#shallows, isBorder, signal);
    const history = await shallowHistory({
      packs,
      wants,
      borders,
      deepening,
      async findVisible(ids) {
        const hidden = await findHidden(repository, ids, signal);
        return ids.filter((id) => !hidden.ids.has(id));
      },
      ...defined({ signal }),
    });
    if (history === undefined) throw new ProtocolError("no commits selected for shallow requests");
    return history;
  }

  #deepening(repository: GitRefs): Deepening {
    const isRange = this.#sinceSeconds !== undefined || this.#excluded.size > 0;
    if (this.#depth !== undefined && isRange) {
      throw new ProtocolError("deepen and deepen-since (or deepen-not) cannot be used together");
    }
    if (this.#depth !== undefined) return { kind: "depth", depth: this.#depth, isRelative: this.#isRelative };
    if (!isRange) return { kind: "none" };
    const not = Array.from(this.#excluded, (name) => findByShortName(repository, name));
    return { kind: "range", sinceSeconds: this.#sinceSeconds ?? Number.NEGATIVE_INFINITY, not };
  }
}

function positive(line: string, digits: string, most: number): number {
  const value = /^[0-9]{1,16}$/.test(digits) ? Number(digits) : 0;
  if (value >= 1 && value <= most) return value;
  throw new ProtocolError(`invalid number in "${line.slice(0, 80)}"`);
}

/** The object of a ref by its full name or the short one that people use (gitrevisions). Throws when there is none. */
function findByShortName(repository: GitRefs, latin1Name: string): ObjectId {
  const name = decodeRefName(Buffer.from(latin1Name, "latin1"));
  const places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
  const found = places.flatMap((place) => repository.refs.find(`${place}${name}`) ?? []);
  const head = name === "HEAD" ? headEntry(repository) : undefined;
  const [entry, other] = head === undefined ? found : [head, ...found];
  if (entry === undefined)
    throw new ProtocolError(`deepen-not: there is no ref "${latin1Name.slice(0, 200)}"`);
  if (other !== undefined) throw new ProtocolError(`ambiguous deepen-not: ${latin1Name.slice(0, 200)}`);
  return entry.id;
}
