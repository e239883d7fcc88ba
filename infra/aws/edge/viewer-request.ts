/** Headers that the router adds, and that count only together with the right origin secret. */
export const edgeHeaders = {
  /** The path as the client sent it, neither decoded nor cut; without the query. */
  uri: "x-coldforge-uri",
  /** The address that the client connected from. */
  client: "x-coldforge-client",
  /** The origin secret itself. */
  origin: "x-coldforge-origin",
} as const;

/**
 * The part of the router's viewer-request function (CloudFront JavaScript 2.0) that is ours: it sets the headers, so
 * that copies which a client forged never pass.
 */
export function viewerRequestCode(originSecret: string): string {
  return [
    `event.request.headers["${edgeHeaders.uri}"] = { value: event.request.uri };`,
    `event.request.headers["${edgeHeaders.client}"] = { value: event.viewer.ip };`,
    `event.request.headers["${edgeHeaders.origin}"] = { value: ${JSON.stringify(originSecret)} };`,
  ].join("\n");
}
