import type { JsonSchema } from "#functions/openapi/openapi";
import type { Random } from "#tests/support/random";

/** Texts that break code that was not written for them. */
export const hostileTexts = [
  "",
  " ",
  "a".repeat(300),
  "a/b",
  "../..",
  "%2e%2e%2f",
  ".git",
  "\0",
  "a\nb",
  "\ud800",
  "💥",
  "e\u0301",
  "\u202ex",
  "<script>alert(1)</script>",
  "[a](javascript:alert(1))",
  "-1",
  "0",
  "9007199254740993",
  "1e400",
  "NaN",
  "null",
  "[]",
  "{}",
  "true",
  "*",
  "@{-1}",
  "HEAD~1^2",
  "refs/heads/main",
  "0".repeat(40),
  "2020-02-30T25:61:61Z",
  "0000-00-00T00:00:00Z",
  "2262-04-12T00:00:00+14:00",
] as const;

const hostileNumbers = [-1, 0, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308] as const;

/** The ingredients of requests: values of earlier answers, by the name of the member or parameter. */
export class Pool {
  private readonly texts = new Map<string, string[]>();
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  add(name: string, value: string): void {
    const known = this.texts.get(name) ?? [];
    if (known.includes(value) || value.length > 200) return;
    known.push(value);
    if (known.length > 40) known.splice(this.random.integer(20), 1);
    this.texts.set(name, known);
  }

  /** Takes the scalars of an answer, by their members' names; those of its own members by its noun too (`labels/id`). */
  learn(value: unknown, noun?: string, name = ""): void {
    if (Array.isArray(value)) for (const one of value.slice(0, 5)) this.learn(one, noun, name);
    else if (typeof value === "object" && value !== null)
      for (const [key, one] of Object.entries(value)) this.learn(one, name === "" ? noun : undefined, key);
    else if (typeof value === "string" || typeof value === "number") {
      this.add(name, String(value));
      if (noun !== undefined) this.add(`${noun}/${name}`, String(value));
    }
  }

  find(...names: readonly string[]): string | undefined {
    const known = names.flatMap((name) => this.texts.get(name) ?? []);
    return known.length === 0 ? undefined : this.random.pick(known);
  }
}

/** Makes values of schemas: valid ones, and invalid ones as often as `hostility` says. */
export class ValueMaker {
  /** How likely each value is one that nobody expects. */
  hostility = 0;
  /** The request's noun, such as `labels`: its known members are preferred. */
  noun: string | undefined;
  private readonly random: Random;
  private readonly pool: Pool;
  private readonly schemas: Readonly<Record<string, JsonSchema>>;

  constructor(random: Random, pool: Pool, schemas: Readonly<Record<string, JsonSchema>>) {
    this.random = random;
    this.pool = pool;
    this.schemas = schemas;
  }

  /** A value for the member or parameter of this name. */
  make(schema: JsonSchema, name: string, depth = 0): unknown {
    const { random } = this;
    if (random.chance(this.hostility))
      return random.pick<unknown>([null, [], {}, true, ...hostileNumbers, ...hostileTexts]);
    const { $ref, type, anyOf, oneOf, allOf } = schema as Readonly<Record<string, unknown>>;
    if (typeof $ref === "string")
      return this.make(this.schemas[$ref.split("/").at(-1) ?? ""] ?? {}, name, depth + 1);
    const choices = (anyOf ?? oneOf ?? allOf) as JsonSchema[] | undefined;
    if (choices !== undefined) return this.make(random.pick(choices), name, depth + 1);
    if (Array.isArray(schema.enum)) return random.pick<unknown>(schema.enum);
    const kind = Array.isArray(type) ? random.pick<unknown>(type) : type;
    if (kind === "object") return this.object(schema, depth);
    if (kind === "array") {
      const items = (schema.items ?? {}) as JsonSchema;
      return Array.from({ length: random.integer(4) }, () => this.make(items, name, depth + 1));
    }
    return this.scalar(schema, kind, name);
  }

  private object(schema: JsonSchema, depth: number): unknown {
    const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>);
    const required = (schema.required ?? []) as string[];
    const likely = this.random.pick([0.15, 0.5, 1]);
    const members = properties.filter(
      ([key]) =>
        (required.includes(key) && !this.random.chance(this.hostility)) ||
        (depth < 6 && this.random.chance(likely)),
    );
    return Object.fromEntries(members.map(([key, one]) => [key, this.make(one, key, depth + 1)]));
  }

  private scalar(schema: JsonSchema, kind: unknown, name: string): unknown {
    const { random, pool } = this;
    if (kind === "boolean") return random.chance(0.5);
    if (kind === "null") return null;
    if (kind === "integer" || kind === "number") {
      const known = Number(pool.find(name, singular(name), "id") ?? Number.NaN);
      return Number.isSafeInteger(known) && random.chance(0.7) ? known : random.integer(5);
    }
    if (schema.format === "date-time")
      return new Date(1_600_000_000_000 + random.integer(2 ** 31) * 100).toISOString();
    return this.text(name);
  }

  /** A text for a place of this name: one from an answer, one that fits nothing, or a new one. */
  text(name: string): string {
    const { random, pool } = this;
    if (random.chance(this.hostility)) return random.pick<string>(hostileTexts);
    const known = random.chance(0.85)
      ? (pool.find(`${this.noun}/${name}`) ?? pool.find(name, singular(name)))
      : undefined;
    return known ?? `${name.slice(0, 8)}-${random.integer(1000)}`;
  }
}

const singular = (name: string): string => name.replace(/s$/, "");
