/** An expression of a workflow as a tree. */
export type Expression =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly of: Expression; readonly member: Expression }
  | { readonly kind: "call"; readonly name: string; readonly given: readonly Expression[] }
  | { readonly kind: "not"; readonly value: Expression }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    };

const longest = 1_024;
const deepest = 32;
const tokens = /\s*(?:('(?:[^']|'')*')|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w-]*)|(&&|\|\||[=!<>]=|[!<>()[\].,]))/y;
/** Binary operators, the loosest first. */
const levels: readonly (readonly string[])[] = [["||"], ["&&"], ["==", "!="], ["<", "<=", ">", ">="]];

/** Reads an expression; undefined when it is none, or too long or too deep. */
export function parseExpression(source: string): Expression | undefined {
  if (source.length > longest) return undefined;
  const read = tokensOf(source.trimEnd());
  if (read === undefined) return undefined;
  try {
    const parser = new Parser(read);
    const tree = parser.binary(0);
    return parser.isAtEnd ? tree : undefined;
  } catch (error) {
    if (error instanceof NoExpression) return undefined;
    throw error;
  }
}

class NoExpression extends Error {}

function tokensOf(source: string): string[] | undefined {
  const found: string[] = [];
  tokens.lastIndex = 0;
  while (tokens.lastIndex < source.length) {
    const match = tokens.exec(source);
    if (match === null) return undefined;
    found.push(match.slice(1).find((part) => part !== undefined) ?? "");
  }
  return found;
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(read: readonly string[]) {
    this.#tokens = read;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  binary(level: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.binary(level + 1);
    for (;;) {
      const operator = this.#take(...operators);
      if (operator === undefined) return left;
      left = { kind: "binary", operator, left, right: this.binary(level + 1) };
    }
  }

  #unary(): Expression {
    this.#depth += 1;
    if (this.#depth > deepest) throw new NoExpression();
    const tree: Expression =
      this.#take("!") === undefined ? this.#members(this.#primary()) : { kind: "not", value: this.#unary() };
    this.#depth -= 1;
    return tree;
  }

  #members(start: Expression): Expression {
    let tree = start;
    for (;;) {
      if (this.#take(".") !== undefined) {
        tree = { kind: "member", of: tree, member: { kind: "literal", value: this.#next() } };
      } else if (this.#take("[") !== undefined) {
        tree = { kind: "member", of: tree, member: this.binary(0) };
        this.#expect("]");
      } else return tree;
    }
  }

  #primary(): Expression {
    const token = this.#next();
    if (token === "(") {
      const inside = this.binary(0);
      this.#expect(")");
      return inside;
    }
    if (token.startsWith("'")) {
      return { kind: "literal", value: token.slice(1, -1).replaceAll("''", "'") };
    }
    if (/^-?\d/.test(token)) return { kind: "literal", value: Number(token) };
    if (!/^[A-Za-z_]/.test(token)) throw new NoExpression();
    if (token === "true" || token === "false") return { kind: "literal", value: token === "true" };
    if (token === "null") return { kind: "literal", value: null };
    return this.#take("(") === undefined
      ? { kind: "name", name: token }
      : { kind: "call", name: token.toLowerCase(), given: this.#given() };
  }

  #given(): Expression[] {
    if (this.#take(")") !== undefined) return [];
    const given = [this.binary(0)];
    while (this.#take(",") !== undefined) given.push(this.binary(0));
    this.#expect(")");
    return given;
  }

  #next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new NoExpression();
    this.#at += 1;
    return token;
  }

  #take(...wanted: readonly string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || !wanted.includes(token)) return undefined;
    this.#at += 1;
    return token;
  }

  #expect(wanted: string): void {
    if (this.#take(wanted) === undefined) throw new NoExpression();
  }
}
