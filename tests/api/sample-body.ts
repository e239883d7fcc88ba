import type { Endpoint } from "#functions/http/endpoint";

/**
 * A body with which an operation gets as far as to the rights. Mostly they come first, and an empty one suffices; when
 * the body is read before them, it must be valid.
 */
export function sampleBody({ isBodyFirst }: Endpoint): object {
  return isBodyFirst === true
    ? { content: "", sha: "0".repeat(40), files: [{ operation: "create", path: "f", content: "" }] }
    : {};
}
