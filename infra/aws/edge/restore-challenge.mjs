/**
 * Lambda@Edge, origin-response. Function URLs and API Gateway rename WWW-Authenticate; without it git never sends
 * credentials. A CloudFront function can't put it back: those don't run for status 400 and above.
 */
export async function handler(event) {
  const { response } = event.Records[0].cf;
  const renamed = response.headers["x-amzn-remapped-www-authenticate"];
  if (renamed !== undefined) {
    delete response.headers["x-amzn-remapped-www-authenticate"];
    response.headers["www-authenticate"] = renamed.map(({ value }) => ({ key: "WWW-Authenticate", value }));
  }
  return response;
}
