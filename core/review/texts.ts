import type { Forge } from "../forge.ts";
import { keyText, put, remove, type Write } from "../table/write.ts";
import { type Review, type ReviewText, reviewTextKey } from "./review.table.ts";

/** What reviews say, by id; those that say nothing are missing. */
export async function readReviewTexts(
  { table }: Forge,
  reviews: readonly Review[],
): Promise<ReadonlyMap<number, string>> {
  const saying = reviews.filter(({ hasText }) => hasText);
  const found = await table.getAll<ReviewText>(saying.map(reviewTextKey));
  return new Map(
    saying.flatMap((one) => {
      const text = found.get(keyText(reviewTextKey(one)));
      return text === undefined ? [] : [[one.id, text.body] as const];
    }),
  );
}

/** A review that says this from now on, and the writes for it. */
export function withText(
  review: Review,
  body: string,
): { readonly review: Review; readonly writes: Write[] } {
  const key = reviewTextKey(review);
  const hasText = body !== "";
  const removal = review.hasText ? [remove(key)] : [];
  return { review: { ...review, hasText }, writes: hasText ? [put({ ...key, body, _v: 1 })] : removal };
}
