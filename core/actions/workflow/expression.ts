import { type Value, worthOf } from "./internal/expression-values.ts";
import { parseExpression } from "./internal/parse-expression.ts";

/** What expressions may ask for: contexts by their names, such as `github` and `matrix`. */
export type Scope = Readonly<Record<string, unknown>>;

const longestText = 4_096;

/**
 * A text with its `${{ … }}` filled in: for labels, names and groups, which the server needs. What can't be evaluated
 * here (an unknown function, a mistake) is empty. All else in a workflow its runner evaluates.
 */
export function fillText(text: string, scope: Scope): string {
  const filled = text.replace(/\$\{\{(.*?)\}\}/gs, (_, source: string) => {
    const value = evaluate(source, scope);
    return value === null || typeof value === "object" ? "" : String(value);
  });
  return filled.slice(0, longestText);
}

/** The value of an expression; null when it can't be evaluated. */
export function evaluate(source: string, scope: Scope): Value {
  const tree = parseExpression(source);
  return tree === undefined ? null : worthOf(tree, scope);
}
