import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Forge } from "#core/forge";
import { answerFrom, requestText } from "#core/table/internal/messages";
import { type Item, put } from "#core/table/write";

/** What a sample was made under: with another key nothing sealed in it opens. */
export const sampleSettings = { SECRET_KEY: Buffer.alloc(32, 7).toString("base64"), ENABLE_FLAGS: "true" };

/** One line of a sample: an item as DynamoDB's JSON has it, or an object. */
type Line = { readonly Item: unknown } | { readonly key: string; readonly bytes: string };

const pathOf = (format: number) => new URL(`format-${format}.jsonl.gz`, import.meta.url);

/** Writes everything that a forge has stored into the file of its format, which must not be there yet. */
export async function writeSample({ table, blobs }: Forge, format: number): Promise<void> {
  const lines: string[] = [];
  for await (const items of table.scan({ segment: 0, of: 1 })) {
    for (const item of items) lines.push(requestText({ Item: item }));
  }
  for await (const { key } of blobs.list("")) {
    lines.push(JSON.stringify({ key, bytes: (await blobs.get(key)).toString("base64") }));
  }
  writeFileSync(pathOf(format), gzipSync(`${lines.join("\n")}\n`, { level: 9 }), { flag: "wx" });
}

/** Puts a sample into an empty forge; answers its items. */
export async function loadSample({ table, blobs }: Forge, format: number): Promise<Item[]> {
  const items: Item[] = [];
  for (const text of gunzipSync(readFileSync(pathOf(format)))
    .toString()
    .trim()
    .split("\n")) {
    const line = JSON.parse(text) as Line;
    if ("key" in line) await blobs.put(line.key, Buffer.from(line.bytes, "base64"));
    else items.push(answerFrom(text).Item as Item);
  }
  for (const item of items) await table.write(put(item));
  return items;
}
