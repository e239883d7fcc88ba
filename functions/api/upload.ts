import type { z } from "@hono/zod-openapi";
import type { CallersCompute } from "#core/compute/compute";
import type { ForgeError } from "#core/errors";
import type { Spooled } from "#core/spooled";
import { defaultBodyBytes, parseJson, requireMediaType, validate } from "./body.ts";
import type { ReadForm } from "./file-form.ts";
import type { RequestBody } from "./request-body.ts";

/** A file that came with a form. */
export interface UploadedFile {
  /** As the client says, without folders. */
  readonly name: string;
  readonly content: Spooled;
}

/** The body of a request that brings a file. */
export interface Upload {
  readonly isJson: boolean;
  /** A JSON body, as other operations read theirs. */
  json<T>(schema: z.ZodType<T>): Promise<T>;
  /**
   * A form (`multipart/form-data`) with the file of this name. 400 for what is no form, or has several; TooLarge for too
   * many parts.
   */
  form(field: string, mostBytes: number): Promise<ReadForm<UploadedFile>>;
  /** The body itself. TooLarge as soon as it passes the bound. */
  file(mostBytes: number): Promise<Spooled>;
}

/** Beside the file a form holds little: its texts and what parts it. */
const besideFileBytes = 64 * 1024;

/** The upload of a request; nothing of it is read before it is asked for. */
export function uploadOf(body: RequestBody, compute: CallersCompute): Upload {
  const { request } = body;
  const type = request.headers.get("content-type") ?? "";
  return {
    isJson: /^application\/json\b/i.test(type.trim()),
    json: async (schema) => validate(schema, await parseJson(await body.bytes(defaultBodyBytes), compute)),
    async form(field, mostBytes) {
      requireMediaType(request, ["multipart/form-data"]);
      const { readForm } = await import("./file-form.ts"); // what parses forms is loaded with the first
      const incoming = body.incoming(mostBytes + besideFileBytes);
      return readForm(type, incoming.bytes, field, async ({ name, bytes }) => {
        const end = (reason: ForgeError) => incoming.end(reason);
        return { name, content: await body.spool({ bytes, mostBytes: incoming.mostBytes, end }) };
      });
    },
    file: (mostBytes) => body.file(mostBytes),
  };
}
