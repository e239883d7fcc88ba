import { entriesIn, entryKind } from "../comment/checked-entries.ts";
import { commentPlace, entryKey } from "../comment/comment.table.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { issueKind, issuesIn } from "../issue/checked-issues.ts";
import { issueKey, issuePlace } from "../issue/issue.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent, equals } from "../table/condition.ts";
import type { TableKey } from "../table/write.ts";
import { check } from "../table/write.ts";
import {
  partsOfPosting,
  placeOf,
  postingsPartition,
  splitWords,
  type TextPlace,
  textName,
  type WaitingWords,
  waitingKey,
  waitingPartition,
  waitingPrefix,
  waitingText,
} from "./word-index.table.ts";
import { mendWords } from "./write.ts";

/** A text whose words are found. */
interface Text {
  readonly words: ReadonlySet<string>;
  /** The item that holds it, and its version. */
  readonly holder: TableKey & { readonly v: number };
}

/** The texts of issues and comments, by name. */
function textsIn(facts: RepositoryFacts): Map<string, Text> {
  const ofIssues = [...issuesIn(facts).values()].map((issue) => ({
    place: issuePlace(issue),
    words: issue.words,
    holder: issue,
  }));
  const ofComments = entriesIn(facts).flatMap((entry) =>
    entry.words === undefined ? [] : { place: commentPlace(entry), words: entry.words, holder: entry },
  );
  return new Map(
    [...ofIssues, ...ofComments].map(({ place, words, holder }) => {
      const { pk, sk, v } = holder;
      return [textName(place), { words, holder: { pk, sk, v } }];
    }),
  );
}

/** Invariant 19: postings and what waits make the words of the current texts. Takes about 100 bytes a posting. */
async function checkWords(forge: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const { repository } = facts;
  const texts = textsIn(facts);
  const repositoryId = repository.id;
  const waitingRun = { pk: waitingPartition(repositoryId), prefix: waitingPrefix };
  const waiting = new Map(
    (await forge.table.queryAll<WaitingWords>(waitingRun)).map((item) => [waitingText(item), item]),
  );
  const posted = await readPostings(forge, repositoryId);
  const names = new Set([...texts.keys(), ...waiting.keys(), ...posted.keys()]);
  return [...names].flatMap((name) => {
    const found = { posted: posted.get(name) ?? new Set<string>(), waiting: waiting.get(name) };
    return findingOf(placeOf(repositoryId, name), texts.get(name), found);
  });
}

async function readPostings(forge: Forge, repositoryId: number): Promise<Map<string, Set<string>>> {
  const posted = new Map<string, Set<string>>();
  let after: string | undefined;
  do {
    const from = defined({ after });
    const page = await forge.table.query({ pk: postingsPartition(repositoryId), ...from });
    for (const item of page.items) {
      const { word, text } = partsOfPosting(item);
      const words = posted.get(text) ?? new Set();
      posted.set(text, words.add(word));
    }
    after = page.next;
  } while (after !== undefined);
  return posted;
}

interface FoundWords {
  readonly posted: ReadonlySet<string>;
  readonly waiting: WaitingWords | undefined;
}

function findingOf(place: TextPlace, text: Text | undefined, { posted, waiting }: FoundWords): Finding[] {
  const removed = new Set(splitWords(waiting?.removed ?? ""));
  const added = splitWords(waiting?.added ?? "");
  const found = new Set([...[...posted].filter((word) => !removed.has(word)), ...added]);
  const expected = text?.words ?? new Set<string>();
  const missing = [...expected].filter((word) => !found.has(word) || removed.has(word));
  const surplus = [...found].filter((word) => !expected.has(word));
  if (missing.length === 0 && surplus.length === 0) return [];
  const shown = (words: string[]) => `${words.length} (${words.slice(0, 3).join(", ")})`;
  const of = text === undefined ? "a text that is gone" : "the text";
  const problem = `words of ${of}: ${shown(missing)} not found, ${shown(surplus)} found that it lacks`;
  return [
    {
      invariant: 19,
      key: shownKey(waitingKey(place)),
      problem,
      remedy: "posts the words of the text and removes all others",
      repair: (forge) =>
        mendWords(forge, place, {
          added: [...expected].filter((word) => !posted.has(word)),
          removed: [...posted].filter((word) => !expected.has(word)),
          v: text?.holder.v ?? (waiting?.v ?? 0) + 1,
          waiting,
          guard: text === undefined ? goneCheck(place) : check(text.holder, equals({ v: text.holder.v })),
        }),
    },
  ];
}

const goneCheck = ({ repositoryId, number, commentId }: TextPlace) =>
  check(commentId === 0 ? issueKey(repositoryId, number) : entryKey(repositoryId, number, commentId), absent);

export const wordIndexChecks: Checks = { reads: [issueKind, entryKind], live: [checkWords] };
