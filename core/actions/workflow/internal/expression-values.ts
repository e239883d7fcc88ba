import type { Scope } from "../expression.ts";
import type { Expression } from "./parse-expression.ts";

/** What an expression is worth: JSON. */
export type Value = string | number | boolean | null | object;

/** No text of an expression grows longer: `format` could double one again and again. */
const longestText = 4_096;

/** The value of an expression: null for what is not there, or what only a runner knows. */
export function worthOf(tree: Expression, scope: Scope): Value {
  switch (tree.kind) {
    case "literal":
      return tree.value;
    case "name":
      return own(scope, tree.name);
    case "member":
      return own(worthOf(tree.of, scope), String(worthOf(tree.member, scope)));
    case "not":
      return !isTrue(worthOf(tree.value, scope));
    case "binary":
      return binary(tree, scope);
    case "call": {
      const given = tree.given.map((one) => worthOf(one, scope));
      return functions[tree.name]?.(...given) ?? null;
    }
  }
}

/** A member, whatever its case. */
function own(of: unknown, name: string): Value {
  if (typeof of !== "object" || of === null) return null;
  const lower = name.toLowerCase();
  const key = Object.keys(of).find((one) => one.toLowerCase() === lower);
  return key === undefined ? null : (((of as Record<string, unknown>)[key] ?? null) as Value);
}

const isTrue = (value: Value): boolean => value !== "" && value !== 0 && Boolean(value);

function binary({ operator, left, right }: Extract<Expression, { kind: "binary" }>, scope: Scope): Value {
  const first = worthOf(left, scope);
  if (operator === "&&") return isTrue(first) ? worthOf(right, scope) : first;
  if (operator === "||") return isTrue(first) ? first : worthOf(right, scope);
  const second = worthOf(right, scope);
  if (operator === "==") return isSame(first, second);
  if (operator === "!=") return !isSame(first, second);
  const [one, other] = [numberOf(first), numberOf(second)];
  if (operator === "<") return one < other;
  if (operator === "<=") return one <= other;
  return operator === ">" ? one > other : one >= other;
}

/** Texts regardless of case; values of two kinds as numbers. */
function isSame(one: Value, other: Value): boolean {
  if (typeof one === "string" && typeof other === "string") return one.toLowerCase() === other.toLowerCase();
  if (typeof one === typeof other) return one === other;
  return numberOf(one) === numberOf(other);
}

function numberOf(value: Value): number {
  if (value === null) return 0;
  return typeof value === "object" ? Number.NaN : Number(value);
}

const textOf = (value: Value | undefined): string => {
  const text =
    typeof value === "object" ? (value === null ? "" : JSON.stringify(value)) : String(value ?? "");
  return text.slice(0, longestText);
};
const lowerOf = (value: Value | undefined): string => textOf(value).toLowerCase();

const functions: Readonly<Record<string, (...given: readonly Value[]) => Value>> = {
  __proto__: null as never,
  contains: (of, part) =>
    Array.isArray(of)
      ? of.some((one: Value) => isSame(one, part ?? null))
      : lowerOf(of).includes(lowerOf(part)),
  startswith: (of, part) => lowerOf(of).startsWith(lowerOf(part)),
  endswith: (of, part) => lowerOf(of).endsWith(lowerOf(part)),
  format: (form, ...given) =>
    textOf(textOf(form).replace(/\{(\d+)\}/g, (_, at: string) => textOf(given[Number(at)]))),
  join: (of, between = ",") =>
    Array.isArray(of) ? textOf(of.map((one: Value) => textOf(one)).join(textOf(between))) : textOf(of),
  tojson: (value) => textOf(JSON.stringify(value ?? null)),
};
