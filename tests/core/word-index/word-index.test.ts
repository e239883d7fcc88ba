import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createComment, editComment } from "#core/comment/comment";
import type { Forge } from "#core/forge";
import { editIssue } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { put } from "#core/table/write";
import { compactText } from "#core/word-index/compaction";
import { searchWords } from "#core/word-index/word-index";
import {
  postingKey,
  postingsPartition,
  type TextPlace,
  type WaitingWords,
  waitingKey,
} from "#core/word-index/word-index.table";
import { newWords } from "#core/word-index/write";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { makeTracker, type Tracker } from "../issue/make.ts";

let test: TestForge;
let tracker: Tracker;
let place: TextPlace;

beforeAll(async () => {
  test = await makeForge();
});
beforeEach(async () => {
  tracker = await makeTracker(test.forge);
  place = { repositoryId: tracker.access.repository.id, number: 1, commentId: 0 };
  await test.queues.take("repository-events");
});
afterAll(() => test.stop());

const create = (title: string, body = "") =>
  createIssue(test.forge, tracker.access, { title, body }, tracker.actor);
const edit = (body: string, forge = test.forge) =>
  editIssue(forge, tracker.access, 1, { body }, tracker.actor);
const found = async (query: string, forge = test.forge) =>
  [...(await searchWords(forge, place.repositoryId, query)).numbers].sort();
const waiting = (of = place) => test.forge.table.get<WaitingWords>(waitingKey(of));
const postings = () => test.forge.table.queryAll({ pk: postingsPartition(place.repositoryId) });
const work = () =>
  test.queues.drain("repository-events", (event) => repositoryEventsWorker(test.forge, event));

/** The forge of a caller whose n-th request of a kind waits for something else to happen before. */
function whenAsked(method: "get" | "query", nth: number, happens: () => Promise<unknown>): Forge {
  let asked = 0;
  const before = async () => {
    asked += 1;
    if (asked === nth) await happens();
  };
  const { table } = test.forge;
  const held = async (...given: Parameters<typeof table.query>) => {
    await before();
    return table.query(...given);
  };
  const got = async (...given: Parameters<typeof table.get>) => {
    const answer = await table.get(...given);
    await before();
    return answer;
  };
  return {
    ...test.forge,
    table: { ...table, ...(method === "get" ? { get: got } : { query: held }) } as never,
  };
}

describe("word index", () => {
  it("D-SEARCH: words of title, body and comments are found right after the write, whoever holds them together", async () => {
    await create("Crash when saving", "The editor hangs");
    await create("Other");
    await createComment(test.forge, tracker.access, 1, "Also on Windows", tracker.actor);
    expect(await found("crash editor")).toEqual([1]);
    expect(await found("saving windows")).toEqual([1]);
    expect(await found("windows linux")).toEqual([]);
  });

  it("what was edited away is no longer found, what came in is found at once, before and after the worker", async () => {
    await create("One", "first second");
    const { id } = await createComment(test.forge, tracker.access, 1, "third", tracker.actor);
    const check = async (words: Record<string, number[]>) => {
      for (const [word, numbers] of Object.entries(words))
        expect([word, await found(word)]).toEqual([word, numbers]);
    };
    await work();
    await edit("second fourth");
    await editComment(test.forge, tracker.access, id, "fifth", tracker.actor);
    const after = { one: [1], first: [], second: [1], third: [], fourth: [1], fifth: [1], fif: [1], thi: [] };
    await check(after);
    await work();
    await check(after);
    expect(await waiting()).toBeUndefined();
    expect(await postings()).toHaveLength(4);
  });

  it("the worker posts what waits; its messages may come again", async () => {
    await create("One two");
    const messages = await test.queues.take("repository-events");
    for (const eventId of ["a", "b"]) {
      await test.forge.queues.send(
        "repository-events",
        messages.map((message) => ({ ...message, eventId })),
      );
      expect(await work()).toEqual({ done: 1, failed: 0 });
    }
    expect(await postings()).toHaveLength(2);
    expect(await waiting()).toBeUndefined();
  });

  it("a text of many words is posted in several transactions, and an edit between two of them loses nothing", async () => {
    const many = Array.from({ length: 250 }, (_, at) => `word${at}`).join(" ");
    await create("Many", many);
    for (const write of [1, 2, 3]) {
      test.faults.crashAt(write, "after");
      await compactText(test.forge, place).catch(() => undefined);
      test.faults.recover();
      expect(await found("word249")).toEqual([1]);
    }
    expect(await waiting()).toBeUndefined();
    await edit(`${many} and more`.replace("word7 ", ""));
    test.faults.crashAt(1, "after");
    await compactText(test.forge, place).catch(() => undefined);
    test.faults.recover();
    await edit("word7 alone");
    await compactText(test.forge, place);
    expect((await postings()).map(({ sk }) => sk.split("#")[0])).toEqual(["alone", "many", "word7"]);
  });

  it("a compaction between the two reads of a search hides nothing", async () => {
    await create("Needle");
    const slow = whenAsked("query", 2, () => compactText(test.forge, place));
    expect(await found("needle", slow)).toEqual([1]);
    expect(await waiting()).toBeUndefined();
  });

  it("an edit that saw the text but not what waits for it is planned again", async () => {
    await create("Title", "first");
    await compactText(test.forge, place);
    await edit("second");
    const before = await waiting();
    await edit("third");
    let isFirst = true;
    const { table } = test.forge;
    const stale = {
      ...table,
      get: async (key: Parameters<typeof table.get>[0]) => {
        if (!isFirst || key.sk !== waitingKey(place).sk) return table.get(key);
        isFirst = false;
        return before; // of the moment before the text
      },
    };
    await edit("fourth", { ...test.forge, table: stale as never });
    expect(await waiting()).toMatchObject({ v: 4, removed: expect.stringContaining("third") });
    await compactText(test.forge, place);
    expect((await postings()).map(({ sk }) => sk.split("#")[0])).toEqual(["fourth", "title"]);
  });

  it("the writer compacts what has grown large while no worker did", async () => {
    await create("Grows");
    for (let round = 0; round < 8; round += 1) {
      await edit(Array.from({ length: 250 }, (_, at) => `r${round}w${at}`).join(" "));
    }
    expect((await waiting())?.removed.split(" ").length).toBeLessThan(1_024 + 2 * 256);
    expect(await found("r7w249")).toEqual([1]);
    expect(await found("r6w249")).toEqual([]);
  });

  it("a search that meets much that waits asks a worker to post it, once a minute", async () => {
    for (let number = 1; number <= 32; number += 1) {
      await test.forge.table.transact(newWords({ ...place, number }, ["needle"], 1));
    }
    expect(await found("needle")).toHaveLength(32);
    await found("needle");
    expect(await work()).toEqual({ done: 2, failed: 0 });
    expect(await postings()).toHaveLength(32);
    expect(await found("needle")).toHaveLength(32);
    expect(await test.queues.take("repository-events")).toEqual([]);
  });

  it("a word that stands in too many texts is not looked at beside others, and the total is not exact", async () => {
    const table = test.forge.table;
    const crowded = {
      ...table,
      query: async (asked: Parameters<typeof table.query>[0]) => {
        const page = await table.query(asked);
        return asked.prefix?.startsWith("common") === true
          ? { ...page, next: page.next ?? "common#0" }
          : page;
      },
    };
    const forge = { ...test.forge, table: crowded as never };
    for (const word of ["common", "rare"]) await table.write(put({ ...postingKey(place, word), _v: 1 }));
    await table.write(put({ ...postingKey({ ...place, number: 2 }, "rare"), _v: 1 }));
    const { numbers, isExact } = await searchWords(forge, place.repositoryId, "common rare");
    expect([[...numbers].sort(), isExact]).toEqual([[1, 2], false]);
    const alone = await searchWords(forge, place.repositoryId, "common");
    expect([[...alone.numbers], alone.isExact]).toEqual([[1], false]);
  });

  it("costs one request for what waits and one for each word", async () => {
    await create("One two three");
    const { usage } = await measured(() => found("one two three"));
    expect(usage.operations).toEqual({ "dynamodb:Query": 4 });
  });

  it("an edit that leaves the words as they are writes none", async () => {
    await create("Title", "some words");
    await compactText(test.forge, place);
    await edit("words, SOME!");
    expect(await waiting()).toBeUndefined();
  });
});
