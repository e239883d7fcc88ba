/** Headers of an answer that the fronts in front of Lambda don't let through under their own name. */
const renamed: Record<string, string> = { "www-authenticate": "x-amzn-remapped-www-authenticate" };

/** Headers that the fronts write themselves. */
const dropped = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** An answer's headers as they leave HTTP API or a function URL. */
export function renameHeaders(
  headers: readonly (readonly [string, string])[],
): (readonly [string, string])[] {
  return headers
    .filter(([name]) => !dropped.has(name))
    .map(([name, value]) => [renamed[name] ?? name, value] as const);
}
