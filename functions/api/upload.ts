import type { z } from "@hono/zod-openapi";
import type { CallersCompute } from "#core/compute/compute";
import { badRequest, tooLarge } from "#core/errors";
import { BodyTooLarge, readBody } from "../git/request-body.ts";
import { defaultBodyBytes, parseJson, readBytes, requireMediaType, validate } from "./body.ts";
import type { FormFile, ReadForm } from "./file-form.ts";

/** The body of a request that brings a file, read as it comes. */
export interface Upload {
  readonly isJson: boolean;
  /** A JSON body, as other operations read theirs. */
  json<T>(schema: z.ZodType<T>): Promise<T>;
  /**
   * A form (`multipart/form-data`): hands the file of this name to `keep`. 400 for what is no form, or has several;
   * TooLarge for too many parts.
   */
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
const idleMs = 60_000;
const totalMs = 6 * 3_600_000;

/** The upload of a request; nothing of it is read before it is asked for. */
export function uploadOf(request: Request, compute: CallersCompute): Upload {
  const type = request.headers.get("content-type") ?? "";
  return {
    isJson: /^application\/json\b/i.test(type.trim()),
    json: async (schema) =>
      validate(schema, await parseJson(await readBytes(request, defaultBodyBytes), compute)),
    async form(field, mostBytes, keep) {
      requireMediaType(request, ["multipart/form-data"]);
      const { readForm } = await import("./file-form.ts"); // what parses forms is loaded with the first
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
