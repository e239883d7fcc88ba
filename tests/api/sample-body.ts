import type { Endpoint } from "#functions/http/endpoint";

/**
 * A body with which an operation gets as far as to the rights. Mostly they come first, and an empty one does; where
 * the body is read before them, or they refuse as though it were not valid, it has to be whole.
 */
export function sampleBody({ isBodyFirst, needs }: Endpoint): object {
  if (needs.unknownOrganization === "invalid") return { name: "sample" };
  return isBodyFirst === true
    ? { content: "", sha: "0".repeat(40), files: [{ operation: "create", path: "f", content: "" }] }
    : {};
}
