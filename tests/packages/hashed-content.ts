import { Spooled } from "#core/capacity/spooled";
import type { HashedContent } from "#core/package/contents";
import { hashesOf } from "#core/package/hash";

/** A file as a registry hands it to the verbs. */
export async function hashedContent(text: string): Promise<HashedContent> {
  const bytes = Buffer.from(text);
  const content = new Spooled({ bytes }, bytes.length, (_, work) => work());
  return { content, hashes: await hashesOf(content.pieces()) };
}
