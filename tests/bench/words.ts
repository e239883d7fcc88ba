import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { compactText } from "#core/word-index/compaction";
import { searchWords } from "#core/word-index/word-index";
import { postingKey, type TextPlace } from "#core/word-index/word-index.table";
import { newWords } from "#core/word-index/write";
import { measured } from "#tests/support/measured";
import { makeForge, type TestForge } from "../support/forge.ts";
import { createRandom } from "../support/random.ts";
import type { Figures } from "./bench.ts";

/** How many of the issues hold each word: nearly all, one in 27, five. */
const words: readonly [string, (number: number) => boolean][] = [
  ["common", (number) => number % 1_000 !== 0],
  ["usual", (number) => number % 27 === 0],
  ["rare", (number) => number <= 5],
];
const queries = ["rare", "usual", "common", "common usual", "common usual rare"];

/** A keyword search's requests to the table beside those of its list, and the cost of indexing a text. */
export async function wordFigures(): Promise<Figures> {
  const rows = [["what", "issues", "found", "requests", "read units", "write units", "ms"]];
  for (const count of [1_000, 100_000]) rows.push(...(await searchRows(count)));
  rows.push(...(await textRows()));
  return { title: "Keyword search (the index alone)", rows };
}

async function searchRows(count: number): Promise<string[][]> {
  const on = await makeForge({ simulation: false });
  try {
    await post(on, count);
    const rows: string[][] = [];
    for (const query of queries) {
      await searchWords(on.forge, 1, `${query} `); // warm
      const startedAt = performance.now();
      const { result, usage } = await measured(() => searchWords(on.forge, 1, query));
      const ms = (performance.now() - startedAt).toFixed(0);
      const found = `${result.numbers.size}${result.isExact ? "" : " (not exact)"}`;
      const { tableRequests, tableReadUnits } = usage;
      rows.push([query, String(count), found, String(tableRequests), String(tableReadUnits), "", ms]);
    }
    return rows;
  } finally {
    await on.stop();
  }
}

/** Posts the words straight. */
async function post({ direct, forge }: TestForge, count: number): Promise<void> {
  const places = Array.from({ length: count }, (_, at) => ({
    repositoryId: 1,
    number: at + 1,
    commentId: 0,
  }));
  const keys = words.flatMap(([word, isIn]) =>
    places.filter(({ number }) => isIn(number)).map((place) => postingKey(place, word)),
  );
  const batches = Array.from({ length: Math.ceil(keys.length / 25) }, (_, at) =>
    keys.slice(25 * at, 25 * (at + 1)),
  );
  for (let at = 0; at < batches.length; at += 16) {
    await Promise.all(
      batches.slice(at, at + 16).map((batch) => {
        const requests = batch.map(({ pk, sk }) => ({
          PutRequest: { Item: { pk: { S: pk }, sk: { S: sk }, _v: { N: "1" } } },
        }));
        return direct.send(new BatchWriteItemCommand({ RequestItems: { [forge.table.name]: requests } }));
      }),
    );
  }
}

/** A text of 120 words as they fall in natural texts, most of them few times. */
async function textRows(): Promise<string[][]> {
  const { integer } = createRandom(7);
  const on = await makeForge({ simulation: false });
  const place: TextPlace = { repositoryId: 1, number: 1, commentId: 0 };
  const text = Array.from({ length: 120 }, () => `word${Math.floor(5_000 ** (integer(1_000) / 1_000))}`).join(
    " ",
  );
  try {
    const written = await measured(() => on.forge.table.transact(newWords(place, [text], 1)));
    const startedAt = performance.now();
    const posted = await measured(() => compactText(on.forge, place));
    const ms = (performance.now() - startedAt).toFixed(0);
    const row = (what: string, { usage }: typeof posted, time: string) => [
      ...[what, "", "", String(usage.tableRequests), String(usage.tableReadUnits)],
      ...[String(usage.tableWriteUnits), time],
    ];
    return [
      row("a text of 120 words: in its transaction", written as never, ""),
      row("the same, posted by the worker", posted, ms),
    ];
  } finally {
    await on.stop();
  }
}
