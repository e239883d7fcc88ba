import type { Spooled } from "#core/capacity/spooled";
import type { CallersCompute } from "#core/compute/compute";
import type { ForgeError } from "#core/errors";
import type { z } from "#zod";
import type { ReadForm } from "./file-form.ts";
import { bodyTooLarge } from "./incoming-body.ts";
import { defaultBodyBytes, parseJson, requireMediaType, validate } from "./json-body.ts";
import type { RequestBody } from "./request-body.ts";

/** A file that came with a form. */
export interface UploadedFile {
  /** The client's name for it, without folders. */
  readonly name: string;
  readonly content: Spooled;
}

/** The body of a request that brings a file. */
export interface Upload {
  readonly isJson: boolean;
  readonly isForm: boolean;
  /** A JSON body, read as in other operations. */
  json<T>(schema: z.ZodType<T>): Promise<T>;
  /**
   * A form (`multipart/form-data`) with the file of this name. 400 for bytes that are no form, or for several files;
   * TooLarge for too many parts.
   */
  form(field: string, mostBytes: number): Promise<ReadForm<UploadedFile>>;
  /** The body itself. TooLarge as soon as it passes the bound. */
  file(mostBytes: number): Promise<Spooled>;
  /** Bytes that were made of the body, such as a file in it, spooled as the body is. TooLarge past the bound. */
  derived(bytes: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Spooled>;
}

/** A form holds little beside the file: its texts and separators. */
const besideFileBytes = 64 * 1024;

/** The upload of a request; nothing of it is read before it is asked for. */
export function uploadOf(body: RequestBody, compute: CallersCompute): Upload {
  const { request } = body;
  const type = request.headers.get("content-type") ?? "";
  return {
    isJson: /^application\/json\b/i.test(type.trim()),
    isForm: /^multipart\/form-data\b/i.test(type.trim()),
    json: async (schema) => {
      const bytes = await body.bytes(defaultBodyBytes);
      return validate(schema, await parseJson(bytes, defaultBodyBytes, compute));
    },
    async form(field, mostBytes) {
      requireMediaType(request, ["multipart/form-data"]);
      const { readForm } = await import("./file-form.ts"); // the first form loads the parser
      const incoming = body.incoming(mostBytes + besideFileBytes);
      return readForm(type, incoming.bytes, field, async ({ name, bytes }) => {
        const end = (reason: ForgeError) => incoming.end(reason);
        return { name, content: await body.spool({ bytes, mostBytes: incoming.mostBytes, end }) };
      });
    },
    file: (mostBytes) => body.file(mostBytes),
    derived: (bytes, mostBytes) =>
      body.spool({ bytes: upTo(bytes, mostBytes), mostBytes, end: () => undefined }),
  };
}

async function* upTo(pieces: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array> {
  let sum = 0;
  for await (const piece of pieces) {
    sum += piece.byteLength;
    if (sum > mostBytes) throw bodyTooLarge(mostBytes);
    yield piece;
  }
}
