/** Conditions and changes as plain values, compiled into DynamoDB expressions with their own name and value maps. */

/** What must hold of the stored item for a write to happen. */
export type Condition =
  /** No such item. */
  | { readonly absent: true }
  /** The item is there, whatever it holds. */
  | { readonly exists: true }
  /** The item exists and each attribute equals the value; `undefined` means the attribute is missing. */
  | { readonly equals: Readonly<Record<string, unknown>> }
  /** The attribute is there and lies below the value. */
  | { readonly below: Readonly<Record<string, number | string>> }
  /** The attribute (a set, list or text) has more members than the value. */
  | { readonly sizeAbove: Readonly<Record<string, number>> }
  /** The set attribute holds the value, or does not. */
  | { readonly contains: Readonly<Record<string, unknown>> }
  | { readonly lacks: Readonly<Record<string, unknown>> }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

export const absent: Condition = { absent: true };
export const exists: Condition = { exists: true };
export const equals = (values: Readonly<Record<string, unknown>>): Condition => ({ equals: values });
export const contains = (values: Readonly<Record<string, unknown>>): Condition => ({ contains: values });
export const below = (values: Readonly<Record<string, number | string>>): Condition => ({ below: values });
export const all = (...conditions: Condition[]): Condition => ({ all: conditions });
export const any = (...conditions: Condition[]): Condition => ({ any: conditions });

/** Attribute changes of an update. `add` also adds members to sets; `take` removes members from sets. */
export interface Changes {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly setOnce?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, unknown>>;
  readonly take?: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
}

/** Collects `#n` and `:v` placeholders for one request. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};
  readonly #known = new Map<string, string>();

  name(attribute: string): string {
    const known = this.#known.get(attribute);
    if (known !== undefined) return known;
    const placeholder = `#n${this.#known.size}`;
    this.#known.set(attribute, placeholder);
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** The request's members; absent when empty, because DynamoDB refuses empty maps. */
  members(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, unknown>;
  } {
    return {
      ...(Object.keys(this.names).length > 0 ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length > 0 ? { ExpressionAttributeValues: this.values } : {}),
    };
  }
}

function each(
  values: Readonly<Record<string, unknown>>,
  write: (name: string, value: unknown) => string,
): string {
  return Object.entries(values)
    .map(([name, value]) => write(name, value))
    .join(" AND ");
}

/** Compiles a condition into a ConditionExpression. */
export function compileCondition(condition: Condition, into: Placeholders): string {
  const compare = (operator: string) => (name: string, value: unknown) =>
    `${into.name(name)} ${operator} ${into.value(value)}`;
  if ("absent" in condition) return `attribute_not_exists(${into.name("pk")})`;
  if ("exists" in condition) return `attribute_exists(${into.name("pk")})`;
  if ("equals" in condition) {
    return each(condition.equals, (name, value) =>
      value === undefined ? `attribute_not_exists(${into.name(name)})` : compare("=")(name, value),
    );
  }
  if ("below" in condition) return each(condition.below, compare("<"));
  if ("sizeAbove" in condition) {
    return each(condition.sizeAbove, (name, value) => `size(${into.name(name)}) > ${into.value(value)}`);
  }
  if ("contains" in condition) {
    return each(condition.contains, (name, value) => `contains(${into.name(name)}, ${into.value(value)})`);
  }
  if ("lacks" in condition) {
    return each(condition.lacks, (name, value) => `NOT contains(${into.name(name)}, ${into.value(value)})`);
  }
  const [members, word] = "all" in condition ? [condition.all, " AND "] : [condition.any, " OR "];
  return members.map((member) => `(${compileCondition(member, into)})`).join(word);
}

/** Compiles changes into an UpdateExpression. */
export function compileChanges(changes: Changes, into: Placeholders): string {
  const pairs = (
    values: Readonly<Record<string, unknown>> | undefined,
    write: (name: string, value: string) => string,
  ) =>
    Object.entries(values ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => write(into.name(name), into.value(value)));
  const set = [
    ...pairs(changes.set, (name, value) => `${name} = ${value}`),
    ...pairs(changes.setOnce, (name, value) => `${name} = if_not_exists(${name}, ${value})`),
  ];
  const clauses = [
    ["SET", set],
    ["ADD", pairs(changes.add, (name, value) => `${name} ${value}`)],
    ["DELETE", pairs(changes.take, (name, value) => `${name} ${value}`)],
    ["REMOVE", (changes.unset ?? []).map((attribute) => into.name(attribute))],
  ] as const;
  return clauses
    .filter(([, parts]) => parts.length > 0)
    .map(([word, parts]) => `${word} ${parts.join(", ")}`)
    .join(" ");
}
