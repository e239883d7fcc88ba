import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { z } from "@hono/zod-openapi";
import { badRequest, ForgeError, isForgeError, tooLarge } from "#core/errors";
import { BodyTooLarge, readBody } from "../git/request-body.ts";
import { defaultBodyBytes, nulProblem, parseJson, readBytes, requireMediaType, validate } from "./body.ts";

/** A file of a form, as it comes. */
interface FormFile {
  /** As the client says, without folders. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A form that was read: the texts in it, and what became of the file; undefined where there was none. */
export interface ReadForm<Kept> {
  readonly fields: Readonly<Record<string, string>>;
  readonly kept: Kept | undefined;
}

/** The body of a request that brings a file, read as it comes. */
export interface Upload {
  readonly isJson: boolean;
  /** A JSON body, as other operations read theirs. */
  json<T>(schema: z.ZodType<T>): Promise<T>;
  /** A form (`multipart/form-data`): hands the file of this name to `keep`. 400 for what is no form, or has several. */
  form<Kept>(
    field: string,
    mostBytes: number,
    keep: (file: FormFile) => Promise<Kept>,
  ): Promise<ReadForm<Kept>>;
  /** The body itself. TooLarge as soon as it passes the bound. */
  bytes(mostBytes: number): AsyncIterable<Uint8Array>;
}

/** Beside the file a form holds little: its texts and what parts it. */
const besideFileBytes = 64 * 1024;
const formLimits = { fields: 20, fieldNameSize: 100, fieldSize: 4096, files: 10, parts: 30, headerPairs: 20 };
const idleMs = 60_000;
const totalMs = 6 * 3_600_000;

/** The upload of a request; nothing of it is read before it is asked for. */
export function uploadOf(request: Request): Upload {
  const type = request.headers.get("content-type") ?? "";
  return {
    isJson: /^application\/json\b/i.test(type.trim()),
    json: async (schema) => validate(schema, parseJson(await readBytes(request, defaultBodyBytes))),
    form(field, mostBytes, keep) {
      requireMediaType(request, ["multipart/form-data"]);
      return readForm(type, bytesOf(request, mostBytes + besideFileBytes), field, keep);
    },
    bytes: (mostBytes) => bytesOf(request, mostBytes),
  };
}

async function* bytesOf(request: Request, limitBytes: number): AsyncGenerator<Uint8Array> {
  const refusal = tooLarge(`the request may have at most ${limitBytes} bytes`);
  if (Number(request.headers.get("content-length") ?? "0") > limitBytes) throw refusal;
  try {
    yield* readBody(request, { limitBytes, idleMs, totalMs });
  } catch (error) {
    throw error instanceof BodyTooLarge ? refusal : badRequest((error as Error).message);
  }
}

async function readForm<Kept>(
  contentType: string,
  bytes: AsyncIterable<Uint8Array>,
  field: string,
  keep: (file: FormFile) => Promise<Kept>,
): Promise<ReadForm<Kept>> {
  const fields: Record<string, string> = {};
  const source = Readable.from(bytes);
  const parser = parserOf(contentType);
  let keeping: Promise<Kept> | undefined;
  parser.on("field", (name, value) => {
    fields[name] ??= value;
  });
  parser.on("file", (name, file, fileName) => {
    // What breaks the form off is told by the parser.
    file.on("error", () => undefined);
    if (name !== field) {
      file.resume();
      return;
    }
    if (keeping !== undefined) {
      file.resume();
      parser.destroy(badRequest(`the form has several files named ${field}: send one at a time`));
      return;
    }
    keeping = keep({ name: fileName, bytes: file });
    // The parser would wait for a reader of the rest of the file.
    keeping.catch((error: unknown) => parser.destroy(error as Error));
  });
  try {
    await pipeline(source, parser);
  } catch (error) {
    // What was kept of a broken form fails with it; a refusal of what keeps it comes first.
    const [kept] = await Promise.allSettled([keeping]);
    if (kept?.status === "rejected" && isForgeError(kept.reason)) throw kept.reason;
    throw isForgeError(error) || !isBroken(error) ? error : brokenForm(error);
  }
  const kept = await keeping;
  for (const [name, value] of Object.entries(fields)) {
    const problem = nulProblem(name, value);
    if (problem !== undefined) throw problem;
  }
  return { fields, kept };
}

function parserOf(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits: formLimits });
  } catch (error) {
    throw brokenForm(error);
  }
}

/** What the parser says of forms that are cut off or malformed; the errors of S3 and the table are no such words. */
const isBroken = (error: unknown): boolean =>
  /multipart|form|header|boundary|premature/i.test((error as Error).message);

const brokenForm = (error: unknown) =>
  new ForgeError("bad-request", `the form can't be read: ${(error as Error).message}`);
