import type { TableKey } from "../table/write.ts";
import type { ItemKind } from "./lifecycle.ts";

/** The expression for a pattern, where each name in angle brackets stands for what matches `name`. */
export function expressionOf(pattern: string, name: string): RegExp {
  const literals = pattern.split(/<[a-z0-9]+>/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join(name)}$`, "s");
}

/** The two sides of a kind's keys. */
export const sidesOf = ({ at }: Pick<ItemKind, "at">): { readonly pk: string; readonly sk: string } => {
  const [pk = "", sk = ""] = at.split(" / ");
  return { pk, sk };
};

/** Tells which of the kinds a key is of; undefined when none declares it. */
export function kindFinder(kinds: readonly ItemKind[]): (key: TableKey) => ItemKind | undefined {
  const byHead = new Map<string, { kind: ItemKind; pk: RegExp; sk: RegExp }[]>();
  for (const kind of kinds) {
    const { pk, sk } = sidesOf(kind);
    const known = { kind, pk: expressionOf(pk, "[^#]+"), sk: expressionOf(sk, ".+") };
    byHead.set(headOf(pk), [...(byHead.get(headOf(pk)) ?? []), known]);
  }
  return ({ pk, sk }) => byHead.get(headOf(pk))?.find((one) => one.pk.test(pk) && one.sk.test(sk))?.kind;
}

const headOf = (pk: string): string => pk.split("#", 1)[0] ?? "";
