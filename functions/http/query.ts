import { lazyFor } from "#core/lazy";
import { z } from "#zod";
import { nulProblem, validate } from "./body/json-body.ts";
import { givenDateTime, secondsFrom } from "./timestamps.ts";

/** Shapes of query values. All arrive as text; empty counts as absent. */

/** The words of semantics §35: `1 t T true TRUE True` are true, anything else is false. */
export const flag = z
  .string()
  .transform((text) => ["1", "t", "T", "true", "TRUE", "True"].includes(text))
  .pipe(z.boolean())
  .optional()
  .openapi({ type: "boolean" });

/** A parameter with another name in the service document, which the interface documents note (D-PARAMS). */
export const notesName = <T extends z.ZodType>(schema: T, originalName: string): T =>
  schema.openapi({ param: { "x-original-name": originalName } });

/** A whole number; anything else is refused. */
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/, "expected a whole number")
  .transform(Number)
  .pipe(z.int())
  .optional()
  .openapi({ type: "integer" });

const mostListed = 100;

/** Any text. */
export const text = z.string().optional();

/** Texts separated by commas; empty ones are ignored, and a list of only those counts as absent. */
export const texts = z
  .string()
  .transform((value) => {
    const parts = value.split(",").map((part) => part.trim());
    const named = parts.filter((part) => part !== "");
    return named.length === 0 ? undefined : named;
  })
  .pipe(z.array(z.string()).max(mostListed, `expected at most ${mostListed} names`).optional())
  .optional()
  .openapi({ type: "string" });

/** Schemas of parameters that may be repeated: all values count, as though they stood in one with commas between. */
const repeatedSchemas = new WeakSet<z.ZodType>();

/** Whole numbers, in a parameter that may be repeated, or with commas between. */
export function integers(description: string) {
  const schema = texts
    .pipe(
      z
        .array(
          z
            .string()
            .regex(/^-?\d{1,15}$/, "expected whole numbers")
            .transform(Number),
        )
        .optional(),
    )
    .openapi({ type: "array", items: { type: "integer" }, description });
  repeatedSchemas.add(schema);
  return schema;
}

/** Words, in a parameter that may be repeated, or with commas between. */
export function words(description: string) {
  const schema = texts.openapi({ type: "array", items: { type: "string" }, description });
  repeatedSchemas.add(schema);
  return schema;
}

/** RFC 3339, as whole seconds since the epoch. */
export const time = z
  .string()
  .refine((value) => isTimestamp(value), "expected an RFC 3339 time such as 2024-01-31T12:00:00Z")
  .transform(secondsFrom)
  .optional()
  .openapi({ type: "string", format: "date-time" });

const isTimestamp = (value: string): boolean =>
  givenDateTime.safeParse(value.replace(" ", "T").toUpperCase()).success;

type Shape = Readonly<Record<string, z.ZodType>>;

/** Made once for each operation: a schema compiles itself when it is first used. */
const schemaOf = lazyFor((shape: Shape) => z.object(shape));

/** Reads the declared query values; of one that is repeated without being declared so the first counts. */
export function readQuery(shape: Shape | undefined, given: URLSearchParams): object {
  if (shape === undefined) return {};
  const present = Object.entries(shape).flatMap(([name, schema]) => {
    const value = repeatedSchemas.has(schema) ? given.getAll(name).join(",") : given.get(name);
    const problem = nulProblem(name, value ?? "");
    if (problem !== undefined) throw problem;
    return value === null || value === "" ? [] : [[name, value] as const];
  });
  return validate(schemaOf(shape), Object.fromEntries(present)) as object;
}
