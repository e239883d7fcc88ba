import type { Label } from "./label.table.ts";

/**
 * The scope in which an exclusive label excludes others (B-08): its name up to the last `/`. Undefined for labels that
 * aren't exclusive, and when nothing is before or behind that slash.
 */
export function exclusiveScope({
  name,
  isExclusive,
}: Pick<Label, "name" | "isExclusive">): string | undefined {
  const at = name.lastIndexOf("/");
  return isExclusive && at > 0 && at < name.length - 1 ? name.slice(0, at) : undefined;
}

/** Two different labels of these that exclude each other, or undefined when one issue may carry all (D-LABEL). */
export function twoOfOneScope(labels: readonly Label[]): readonly [Label, Label] | undefined {
  const seen = new Map<string, Label>();
  for (const label of labels) {
    const scope = exclusiveScope(label);
    if (scope === undefined) continue;
    const other = seen.get(scope);
    if (other !== undefined && other.id !== label.id) return [other, label];
    seen.set(scope, label);
  }
  return undefined;
}
