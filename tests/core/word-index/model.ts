import { setTimeout as pause } from "node:timers/promises";
import { createComment, editComment } from "#core/comment/comment";
import { type Comment, commentPlace, type TimelineEntry } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import { editIssue } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { type Issue, issuePartition, issuePlace } from "#core/issue/issue.table";
import type { Table } from "#core/table";
import { compactRepository, compactText, compactWords } from "#core/word-index/compaction";
import { searchWords } from "#core/word-index/word-index";
import {
  placeOf,
  postingsPartition,
  textName,
  type WaitingWords,
  waitingPartition,
  waitingPrefix,
  waitingText,
} from "#core/word-index/word-index.table";
import { SimulatedCrash } from "#tests/support/faults";
import type { TestForge } from "#tests/support/forge";
import type { Random } from "#tests/support/random";
import type { Tracker } from "../issue/make.ts";

const stems = ["alpha", "beta", "gamma", "delta", "x1", "y2", "epsilon"];
/** Enough that a long text takes more than one transaction to post. */
const vocabulary = stems.flatMap((stem) => Array.from({ length: 25 }, (_, at) => `${stem}${at || ""}`));

/** The results of the steps: none of these may stay 0 in a meaningful run. */
export interface ModelReport {
  edits: number;
  crashes: number;
  overtakenCompactions: number;
  searches: number;
  found: number;
}

/** Texts by name, as they were read from the issues and comments themselves. */
type Texts = Map<string, string>;

/**
 * Random writers, posters (late ones with old reads too), searches and crashes on one repository, side by side;
 * compared with a plain search over the texts. Throws at the first difference.
 */
export class WordIndexModel {
  readonly report: ModelReport = { edits: 0, crashes: 0, overtakenCompactions: 0, searches: 0, found: 0 };
  readonly #test: TestForge;
  readonly #tracker: Tracker;
  readonly #random: Random;
  #issueCount = 0;
  #texts: Texts = new Map();
  /** Places that a step under way writes to. */
  #busy = new Set<number>();
  #zombies: WaitingWords[] = [];
  /** The forge over a slow network: concurrent requests arrive in any order. */
  readonly #forge: Forge;

  constructor(test: TestForge, tracker: Tracker, random: Random) {
    this.#test = test;
    this.#forge = { ...test.forge, table: slowed(test.forge.table, random) };
    this.#tracker = tracker;
    this.#random = random;
  }

  get repositoryId(): number {
    return this.#tracker.access.repository.id;
  }

  /** Several things at once, some of them killed; then the texts are read again and searched. */
  async step(): Promise<void> {
    const { chance, integer } = this.#random;
    const { faults } = this.#test;
    const isKilled = chance(0.3);
    if (isKilled) faults.crashAt(1 + integer(12), chance(0.5) ? "before" : "after");
    this.#busy = new Set();
    const actions = Array.from({ length: 1 + integer(5) }, () => this.#action());
    const done = await Promise.allSettled(actions.map((action) => action()));
    if (faults.hasCrashed) this.report.crashes += 1;
    faults.recover();
    for (const one of done) {
      if (one.status === "rejected" && !(one.reason instanceof SimulatedCrash)) throw one.reason;
    }
    this.#busy = new Set();
    await this.#readTexts();
    await this.#search();
  }

  /** Posts all waiting words; the index then holds the words of the texts and nothing else. */
  async finish(): Promise<{ posted: string[]; expected: string[]; waiting: number }> {
    const forge = this.#forge;
    while (await compactRepository(forge, this.repositoryId, 100));
    const postings = await forge.table.queryAll({ pk: postingsPartition(this.repositoryId) });
    const expected = [...this.#texts].flatMap(([name, text]) =>
      [...new Set(text.split(" "))].map((word) => `${word}#${name}`),
    );
    const waiting = (await this.#waiting()).length;
    return { posted: postings.map(({ sk }) => sk).sort(), expected: expected.sort(), waiting };
  }

  #action(): () => Promise<void> {
    const { integer, pick } = this.#random;
    const number = 1 + integer(Math.max(1, this.#issueCount));
    const edit = () => this.#edit(number);
    const all = [() => this.#create(), edit, edit, () => this.#comment(number), () => this.#editComment()];
    const compactions = [() => this.#foldOne(), () => this.#foldAll(), () => this.#foldLate()];
    return pick([...all, ...compactions, () => this.#search()]);
  }

  #text(): string {
    const { chance, integer, pick } = this.#random;
    const length = chance(0.3) ? 150 + integer(150) : 1 + integer(8);
    return Array.from({ length }, () => pick(vocabulary)).join(" ");
  }

  async #create(): Promise<void> {
    if (this.#issueCount >= 6) return;
    this.#issueCount += 1;
    this.#busy.add(this.#issueCount);
    const { access, actor } = this.#tracker;
    await createIssue(this.#forge, access, { title: this.#title(), body: this.#text() }, actor);
  }

  #title(): string {
    return Array.from({ length: 3 }, () => this.#random.pick(vocabulary)).join(" ");
  }

  async #edit(number: number): Promise<void> {
    this.#busy.add(number);
    const changes = this.#random.chance(0.3) ? { title: this.#title() } : { body: this.#text() };
    const { access, actor } = this.#tracker;
    await this.#ifThere(editIssue(this.#forge, access, number, changes, actor));
  }

  async #comment(number: number): Promise<void> {
    this.#busy.add(number);
    const { access, actor } = this.#tracker;
    await this.#ifThere(createComment(this.#forge, access, number, this.#text(), actor));
  }

  async #editComment(): Promise<void> {
    const written = [...this.#texts.keys()].map((name) => placeOf(this.repositoryId, name));
    const all = written.filter(({ commentId }) => commentId > 0);
    if (all.length === 0) return;
    const { number, commentId } = this.#random.pick(all);
    this.#busy.add(number);
    const { access, actor } = this.#tracker;
    await editComment(this.#forge, access, commentId, this.#text(), actor);
    this.report.edits += 1;
  }

  /** A number that a crash kept from being taken leads to no issue. */
  async #ifThere(work: Promise<unknown>): Promise<void> {
    try {
      await work;
      this.report.edits += 1;
    } catch (error) {
      if ((error as { code?: string }).code !== "not-found") throw error;
    }
  }

  #waiting(): Promise<WaitingWords[]> {
    const run = { pk: waitingPartition(this.repositoryId), prefix: waitingPrefix };
    return this.#forge.table.queryAll<WaitingWords>(run);
  }

  async #foldOne(): Promise<void> {
    const [waiting] = this.#random.some(await this.#waiting(), 1);
    if (waiting !== undefined)
      await compactText(this.#forge, placeOf(this.repositoryId, waitingText(waiting)));
  }

  async #foldAll(): Promise<void> {
    this.#zombies.push(...this.#random.some(await this.#waiting(), 2));
    if (this.#random.chance(0.5)) await compactRepository(this.#forge, this.repositoryId, 100);
  }

  /** A poster that was stopped after it had read the waiting words, and goes on now. */
  async #foldLate(): Promise<void> {
    const waiting = this.#zombies.splice(0, 1)[0];
    if (waiting === undefined) return;
    const place = placeOf(this.repositoryId, waitingText(waiting));
    if (!(await compactWords(this.#forge, place, waiting))) this.report.overtakenCompactions += 1;
  }

  async #readTexts(): Promise<void> {
    this.#texts = new Map();
    const { table } = this.#test.forge;
    const repositoryId = this.repositoryId;
    const numbers = Array.from({ length: this.#issueCount }, (_, at) => at + 1);
    const read = numbers.map((number) => table.queryAll({ pk: issuePartition(repositoryId, number) }));
    for (const item of (await Promise.all(read)).flat() as (Issue | TimelineEntry)[]) {
      if ("issueNumber" in item) {
        if (item.type === "comment") this.#texts.set(textName(commentPlace(item as Comment)), item.body);
      } else if ("title" in item) {
        this.#texts.set(textName(issuePlace(item as Issue)), `${item.title} ${item.body}`);
      }
    }
  }

  /** Compares the results for issues that nobody is writing to at the moment. */
  async #search(): Promise<void> {
    const random = this.#random;
    const [text = ""] = random.some([...this.#texts.values()], 1);
    const known = [...text.split(" "), ...stems, random.pick(vocabulary)].filter((word) => word !== "");
    const words = Array.from({ length: 1 + random.integer(2) }, () => random.pick(known));
    const query = random.chance(0.2) ? words.join(" ").slice(0, -1) : words.join(" ");
    const texts = new Map(this.#texts);
    const { numbers } = await searchWords(this.#forge, this.repositoryId, query);
    const isStable = (number: number) => !this.#busy.has(number);
    const found = [...numbers].filter(isStable).sort((one, other) => one - other);
    const expected = plainSearch(texts, query).filter(isStable);
    if (found.join() !== expected.join()) {
      throw new Error(`"${query}" finds ${found.join()}, it stands in ${expected.join()}`);
    }
    this.report.searches += 1;
    this.report.found += found.length;
  }
}

function slowed(table: Table, random: Random): Table {
  const after =
    <Arguments extends unknown[], Answer>(method: (...given: Arguments) => Promise<Answer>) =>
    async (...given: Arguments) => {
      await pause(random.integer(12));
      return method(...given);
    };
  const { get, query, transact } = table;
  return {
    ...table,
    get: after(get) as Table["get"],
    query: after(query) as Table["query"],
    transact: after(transact),
  };
}

/** Numbers of the issues that hold every word, the last one also as a beginning of three letters or more. */
function plainSearch(texts: Texts, query: string): number[] {
  const conversations = new Map<number, string[]>();
  for (const [name, text] of texts) {
    const number = Number(name.split(".")[0]);
    conversations.set(number, [...(conversations.get(number) ?? []), ...text.split(" ")]);
  }
  const wanted = query.split(" ");
  const last = wanted.length - 1;
  const holds = (words: string[]) =>
    wanted.every((word, at) =>
      at === last && word.length >= 3 ? words.some((one) => one.startsWith(word)) : words.includes(word),
    );
  return [...conversations]
    .filter(([, words]) => holds(words))
    .map(([number]) => number)
    .sort((one, other) => one - other);
}
