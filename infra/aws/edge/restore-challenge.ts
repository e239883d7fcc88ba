import type { CloudFrontResponse, CloudFrontResponseEvent } from "aws-lambda";

/**
 * Lambda@Edge, origin-response. Function URLs and API Gateway rename WWW-Authenticate; without it git never sends
 * credentials. A CloudFront function can't put it back: those don't run for status 400 and above.
 * Deployed as its own text, so it refers to nothing outside itself.
 */
export async function restoreChallenge(
  event: CloudFrontResponseEvent,
): Promise<CloudFrontResponse | undefined> {
  const response = event.Records[0]?.cf.response;
  const renamed = response?.headers["x-amzn-remapped-www-authenticate"];
  if (response !== undefined && renamed !== undefined) {
    delete response.headers["x-amzn-remapped-www-authenticate"];
    response.headers["www-authenticate"] = renamed.map(({ value }) => ({ key: "WWW-Authenticate", value }));
  }
  return response;
}

/** The module that Lambda@Edge runs: its export `handler` is the function above. */
export const restoreChallengeModule = `export const handler = ${restoreChallenge};\n`;
