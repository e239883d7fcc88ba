import { originResponse } from "./edge/origin-response.ts";
import { viewerRequestCode } from "./edge/viewer-request.ts";
import { originSecret } from "./secrets.ts";

/** CloudFront's managed policy "CachingDisabled": every answer here is dynamic. */
const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";

/** Answers that CloudFront would keep for 10 seconds even so, unless told otherwise. */
const cachedErrorCodes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** A secret that could be guessed would let anyone forge what the router vouches for. */
function unguessable(secret: string): string {
  if (secret.length < 32) throw new Error("the secret OriginSecret needs at least 32 characters");
  return secret;
}

/** The one public address: JSON API and git under one host name. `DOMAIN` gives it a name of its own (Route 53). */
export const router = new sst.aws.Router("Router", {
  ...(process.env.DOMAIN === undefined ? {} : { domain: process.env.DOMAIN }),
  edge: { viewerRequest: { injection: originSecret.value.apply(unguessable).apply(viewerRequestCode) } },
  transform: {
    cdn: (args) => {
      args.customErrorResponses = cachedErrorCodes.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 }));
      args.defaultCacheBehavior = $output(args.defaultCacheBehavior).apply((behavior) => ({
        ...behavior,
        cachePolicyId: cachingDisabled,
        compress: false,
        lambdaFunctionAssociations: [
          { eventType: "origin-response", lambdaArn: originResponse.qualifiedArn, includeBody: false },
        ],
      }));
    },
  },
});
