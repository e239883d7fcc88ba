import { badRequest, isForgeError } from "#core/errors";
import type { z } from "#zod";
import { defaultBodyBytes, parseJson, requireNoEncoding, validate } from "../http/body/json-body.ts";
import type { LfsRequest } from "./request.ts";

/** A batch names many objects: as many values as only large bodies may have. */
export const batchBytes = 2 * defaultBodyBytes;

/** A JSON body. 400 for what is none; 422 for one of another shape; TooLarge. */
export async function readLfsBody<T>(
  { request, body, forge }: LfsRequest,
  schema: z.ZodType<T>,
  mostBytes = defaultBodyBytes,
): Promise<T> {
  requireNoEncoding(request);
  const bytes = await body.bytes(mostBytes);
  const parsed = await parseJson(bytes, mostBytes, forge.compute).catch((error: unknown) => {
    throw isForgeError(error, "invalid") ? badRequest(`the body is no JSON: ${error.message}`) : error;
  });
  return validate(schema, parsed);
}
