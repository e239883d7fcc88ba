import { servicePath } from "#functions/artifacts/service-path";
import { edgeHeaders } from "#functions/http/edge-headers";

/** Lambda takes 6 MB, and bytes come in base64: AWS answers 413 beyond that, without a word. */
const mostUploadBytes = 4_500_000;

const packageTooLarge =
  "a request may have 4.5 MB here: announce the file to the generic registry, and put it straight to S3 " +
  "(docs/limits.md, Past the limit of packages)";
const artifactTooLarge =
  "a block may have 4.5 MB here: announce it, and put it straight to S3 " +
  "(docs/limits.md, Past the limit of artifacts)";

/**
 * Our part of the router's viewer-request function (CloudFront JavaScript 2.0): it sets the headers, so that copies
 * forged by a client never pass. It answers uploads of packages and artifacts that Lambda would refuse, in the form that
 * their clients read.
 */
export function viewerRequestCode(originSecret: string): string {
  return [
    `event.request.headers["${edgeHeaders.uri}"] = { value: event.request.uri };`,
    `event.request.headers["${edgeHeaders.client}"] = { value: event.viewer.ip };`,
    `event.request.headers["${edgeHeaders.originSecret}"] = { value: ${JSON.stringify(originSecret)} };`,
    `var bodyLength = event.request.headers["content-length"];`,
    `var isOfPackage = event.request.uri.startsWith("/api/packages/");`,
    `var isOfArtifact = event.request.uri.startsWith(${JSON.stringify(`${servicePath}/`)});`,
    `if (event.request.method === "PUT" && bodyLength && Number(bodyLength.value) > ${mostUploadBytes} && (isOfPackage || isOfArtifact)) {`,
    `  var isOfNpm = isOfPackage && event.request.uri.split("/")[4] === "npm";`,
    `  var tooLarge = isOfArtifact ? ${JSON.stringify(artifactTooLarge)} : ${JSON.stringify(packageTooLarge)};`,
    "  return {",
    '    statusCode: 413, statusDescription: "Payload Too Large",',
    '    headers: { "content-type": { value: isOfNpm ? "application/json" : "text/plain; charset=utf-8" } },',
    '    body: { encoding: "text", data: isOfNpm ? JSON.stringify({ error: tooLarge }) : tooLarge + "\\n" },',
    "  };",
    "}",
  ].join("\n");
}
