import { edgeHeaders } from "#functions/http/edge-headers";

/**
 * Our part of the router's viewer-request function (CloudFront JavaScript 2.0): it sets the headers, so that copies
 * forged by a client never pass.
 */
export function viewerRequestCode(originSecret: string): string {
  return [
    `event.request.headers["${edgeHeaders.uri}"] = { value: event.request.uri };`,
    `event.request.headers["${edgeHeaders.client}"] = { value: event.viewer.ip };`,
    `event.request.headers["${edgeHeaders.originSecret}"] = { value: ${JSON.stringify(originSecret)} };`,
  ].join("\n");
}
