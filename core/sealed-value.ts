import type { Forge } from "./forge.ts";

/** Values that leave sealed, in links, headers and answers, and come back with a later request. */
export interface SealedKind<T> {
  /** Other kinds can't be taken for this one: their purposes differ. */
  readonly purpose: string;
  /** A zod schema of the value. */
  readonly shape: {
    safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
  };
}

/** A text that nobody can read or change. */
export const sealValue = <T>({ secrets }: Forge, { purpose }: SealedKind<T>, value: T): string =>
  secrets.seal(JSON.stringify(value), purpose);

/**
 * The value in a sealed text. Undefined when its `until` (milliseconds) has passed, and when the text was made up, is of
 * another kind or shape (a former release's), or was sealed by a lost key: the one who brings it can't help any of it.
 */
export function openSealedValue<T extends object>(
  { secrets, clock }: Forge,
  { purpose, shape }: SealedKind<T>,
  text: string,
): T | undefined {
  const plain = openSealedText(secrets, text, purpose);
  if (plain === undefined) return undefined;
  const read = shape.safeParse(JSON.parse(plain));
  if (!read.success) return undefined;
  const value = read.data;
  return "until" in value && Number(value.until) < clock.now() ? undefined : value;
}

/** What was sealed for this purpose; undefined for any other text: to bring one is no fault of the service. */
export function openSealedText(
  { open }: Forge["secrets"],
  text: string,
  purpose: string,
): string | undefined {
  try {
    return open(text, purpose);
  } catch {
    return undefined;
  }
}
