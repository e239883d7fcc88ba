import type { CallersCompute } from "#core/compute/compute";
import { TaskEnded } from "#core/compute/task";
import { badRequest, ForgeError, invalid, tooLarge } from "#core/errors";
import type { z } from "#zod";
import { mostValues, parseJsonTask } from "./parse-json-task.ts";

/** Larger bodies are refused unless an endpoint names another bound. Texts end far below it (D-TEXT). */
export const defaultBodyBytes = 1024 * 1024;

/** The media type of a body, without its parameters; empty when none is given. */
export function mediaTypeOf(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Other media types of JSON: D-TEXTPLAIN, and RFC 6839 such as application/vnd.github+json. */
const moreJson = /^(?:text\/plain|text\/json|application\/[\w.-]+\+json)$/;

/** Refuses a media type that the endpoint does not read; a missing one counts as the expected one. */
export function requireMediaType(request: Request, accepted: readonly string[]): void {
  const given = mediaTypeOf(request);
  if (given === "" || accepted.includes(given)) return;
  if (accepted.includes("application/json") && moreJson.test(given)) return;
  const hint = accepted[0] === "application/json" ? ": send the header Content-Type: application/json" : "";
  const message = `the body's Content-Type is ${given}; this operation reads ${accepted.join(", ")}${hint}`;
  throw new ForgeError("unsupported-media-type", message);
}

/** Refuses a compressed body, whose bytes would otherwise be taken for broken JSON. */
export function requireNoEncoding(request: Request): void {
  const encoding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return;
  const message = `the body's Content-Encoding is ${encoding}; this API reads bodies that are not compressed`;
  throw new ForgeError("unsupported-media-type", message);
}

/**
 * Parses a JSON body, of an operation that takes so many bytes, as `parseJsonTask` does. Invalid for malformed text,
 * TooLarge for one of too many values.
 */
export async function parseJson(bytes: Buffer, bodyBytes: number, compute: CallersCompute): Promise<unknown> {
  const most = bodyBytes > defaultBodyBytes ? mostValues.ofLarge : mostValues.usual;
  const parsed = await compute(parseJsonTask, { bytes, most }).catch((error: unknown) => {
    throw error instanceof TaskEnded ? tooManyValues(most) : error;
  });
  if ("value" in parsed) return parsed.value;
  if ("hasTooMany" in parsed) throw tooManyValues(most);
  const { nulIn, problem } = parsed;
  throw nulIn === undefined ? new ForgeError("invalid", `[]: ${problem}`) : nulRefusal(nulIn);
}

const tooManyValues = (most: number) => tooLarge(`the JSON may have at most ${most} values`);

/** Why a text can't be accepted, or undefined when it holds no NUL character. */
export const nulProblem = (name: string, text: string): ForgeError | undefined =>
  text.includes("\0") ? nulRefusal(name) : undefined;

const nulRefusal = (name: string) => invalid(fieldName([name]), "a text may not hold NUL characters");

/**
 * Checks a value against an object schema like the family: keys match in any case, null stands for absent, unknown keys
 * are ignored, and the first problem reads `[FieldName]: Reason` (semantics §1.1, §1.5).
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(aligned(schema, value), { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw badRequest("the request could not be read");
  throw invalid(issue.path.length === 0 ? "" : fieldName(issue.path), reasonOf(issue));
}

/** The members under the names of the schema and without nulls, of objects inside it, too. */
function aligned(schema: z.ZodType, value: unknown): unknown {
  const { shape, element } = partsOf(schema);
  if (Array.isArray(value)) {
    return element === undefined ? value : value.map((one) => aligned(element, one));
  }
  if (shape === undefined || typeof value !== "object" || value === null) return value;
  const known = new Map(Object.entries(shape).map(([key, inner]) => [key.toLowerCase(), { key, inner }]));
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    entries.map(([given, member]) => {
      const found = known.get(given.toLowerCase());
      return found === undefined ? [given, member] : [found.key, aligned(found.inner, member)];
    }),
  );
}

/** The schemas of an object's members, or of a list's; none when it is of another kind. */
interface Parts {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
}

function partsOf(schema: z.ZodType): Parts {
  const { innerType, ...parts } = schema.def as Parts & { readonly innerType?: z.ZodType };
  return innerType === undefined ? parts : partsOf(innerType);
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part) =>
      typeof part === "number"
        ? String(part)
        : String(part)
            .split("_")
            .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
            .join(""),
    )
    .join(".");
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.input === undefined) return "Required";
  if (issue.code === "too_small" && issue.origin === "string") return "Required";
  if (issue.code === "too_big") return `MaxSize ${issue.maximum}`;
  if (issue.code === "invalid_value") return `In ${issue.values.map(String).join(", ")}`;
  return issue.message;
}
