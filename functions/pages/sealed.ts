import { nowSeconds } from "#core/clock";
import { openSealedText } from "#core/sealed-value";
import type { PageRequest } from "./page.ts";

interface Sealed {
  readonly value: unknown;
  readonly until: number;
}

type Asked = Pick<PageRequest, "forge" | "visitor">;

/** A value that comes back with a later request of this browser, for this purpose: nobody else reads or makes one. */
export function sealed({ forge, visitor }: Asked, purpose: string, value: unknown, seconds: number): string {
  const content: Sealed = { value, until: nowSeconds(forge.clock) + seconds };
  return forge.secrets.seal(JSON.stringify(content), contextOf(purpose, visitor.browserKey));
}

/** The value in a sealed text; undefined when it is over, of another browser or purpose, or none of ours. */
export function openSealed<T>({ forge, visitor }: Asked, purpose: string, text: string): T | undefined {
  const plain = openSealedText(forge.secrets, text, contextOf(purpose, visitor.browserKey));
  if (plain === undefined) return undefined;
  const { value, until } = JSON.parse(plain) as Sealed;
  return nowSeconds(forge.clock) < until ? (value as T) : undefined;
}

const contextOf = (purpose: string, browserKey: string): string => `page ${purpose} ${browserKey}`;
