import type { CallersCompute } from "#core/compute/compute";
import { TaskEnded } from "#core/compute/task";
import { badRequest, tooLarge } from "#core/errors";
import type { z } from "#zod";
import { mediaTypeOf, nulProblem } from "./json-body.ts";
import { readFormTask } from "./read-form-task.ts";

/** The type of a form that is written like a query. */
export const formType = "application/x-www-form-urlencoded";
export const formTypes = [formType, "multipart/form-data"];

/** The family's clients use another name for this field in forms. */
const otherNames = new Map([["new_name", "new_username"]]);

/**
 * Whether a body is a form, which the compatible family reads wherever it reads JSON. JSON under the type of a form is
 * none.
 */
export const isForm = (request: Request, bytes: Buffer): boolean =>
  formTypes.includes(mediaTypeOf(request)) && !/^\s*[{[]/.test(bytes.toString("latin1", 0, 64));

/**
 * The fields of a form as the schema's JSON would hold them: texts of numbers and flags become such, a field that comes
 * several times a list. An empty text stands for absent unless a text is expected. BadRequest for bytes that are no
 * form, TooLarge for more fields than any operation reads.
 */
export async function parseForm(
  bytes: Buffer,
  contentType: string,
  schema: z.ZodType,
  compute: CallersCompute,
): Promise<unknown> {
  const shape = new Map(Object.entries((schema as { shape?: Record<string, z.ZodType> }).shape ?? {}));
  const entries = [...(await textsOf(bytes, contentType, compute))].flatMap(([name, texts]) => {
    const problem = nulProblem(name, texts.join(""));
    if (problem !== undefined) throw problem;
    const field = shape.has(name) ? name : (otherNames.get(name) ?? name.toLowerCase());
    const value = fieldValue(shape.get(field), texts);
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(entries);
}

/** The texts of each name in order. */
async function textsOf(
  bytes: Buffer,
  contentType: string,
  compute: CallersCompute,
): Promise<Map<string, string[]>> {
  const texts = new Map<string, string[]>();
  for (const [name, value] of await readFields(bytes, contentType, compute)) {
    const known = texts.get(name);
    if (known === undefined) texts.set(name, [value]);
    else known.push(value);
  }
  return texts;
}

const mostFields = 1000;
/** Texts in a form take long to decode, however few they are: larger bodies must be JSON. */
export const mostFormBytes = 1.5 * 2 ** 20;

async function readFields(bytes: Buffer, contentType: string, compute: CallersCompute) {
  if (bytes.length > mostFormBytes)
    throw tooLarge(`a form may have at most ${mostFormBytes} bytes: send more as JSON`);
  const parts = bytes.toString("latin1").split(/&|\r\n--/, mostFields + 1);
  if (parts.length > mostFields) throw tooLarge(`a form has at most ${mostFields} fields`);
  const read = await compute(readFormTask, { bytes, contentType }).catch((error: unknown) => {
    throw error instanceof TaskEnded ? tooLarge("the form takes too long to read: send JSON") : error;
  });
  if (read === undefined) throw badRequest("the form can't be read: it is cut off or malformed");
  return read;
}

function fieldValue(schema: z.ZodType | undefined, texts: readonly string[]): unknown {
  const bare = schema === undefined ? undefined : bareOf(schema);
  if (bare?.type === "array") return texts.map((text) => scalarOf(bare.element, text));
  return scalarOf(bare?.type, texts[0] ?? "");
}

function scalarOf(type: string | undefined, text: string): unknown {
  if (type !== "number" && type !== "boolean") return text;
  if (text === "") return undefined;
  if (type === "number") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (/^(1|t|T|true|TRUE|True|on)$/.test(text)) return true;
  return /^(0|f|F|false|FALSE|False|off)$/.test(text) ? false : text;
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly element?: z.ZodType;
}

/** The type of a schema, without optional wrappers; for a list, its members' type. */
function bareOf(schema: z.ZodType): { type: string; element?: string } {
  const { type, innerType, in: input, element } = schema.def as Definition;
  const inner = innerType ?? (type === "pipe" ? input : undefined);
  if (inner !== undefined) return bareOf(inner);
  return element === undefined ? { type } : { type, element: bareOf(element).type };
}
