import { z } from "zod";
import { nowSeconds } from "#core/clock";
import { openSealedText, type SealedKind } from "#core/sealed-value";
import type { PageRequest } from "./page.ts";

/** `until` in seconds since the epoch. */
const sealedShape = z.object({ value: z.unknown(), until: z.number() });

type Asked = Pick<PageRequest, "forge" | "visitor">;

/** A value that comes back with a later request of this browser, for this purpose: nobody else reads or makes one. */
export function sealed<T>(
  { forge, visitor }: Asked,
  { purpose }: SealedKind<T>,
  value: T,
  seconds: number,
): string {
  const content: z.infer<typeof sealedShape> = { value, until: nowSeconds(forge.clock) + seconds };
  return forge.secrets.seal(JSON.stringify(content), contextOf(purpose, visitor.browserKey));
}

/**
 * The value in a sealed text; undefined when it is over, of another browser, purpose or shape (a former release's), or
 * none of ours.
 */
export function openSealed<T>(
  { forge, visitor }: Asked,
  { purpose, shape }: SealedKind<T>,
  text: string,
): T | undefined {
  const plain = openSealedText(forge.secrets, text, contextOf(purpose, visitor.browserKey));
  if (plain === undefined) return undefined;
  const content = sealedShape.safeParse(JSON.parse(plain));
  if (!content.success || nowSeconds(forge.clock) >= content.data.until) return undefined;
  const read = shape.safeParse(content.data.value);
  return read.success ? read.data : undefined;
}

const contextOf = (purpose: string, browserKey: string): string => `page ${purpose} ${browserKey}`;
