import { deploySettings } from "./deploy-settings.ts";
import { originResponse } from "./edge/origin-response.ts";
import { viewerRequestCode } from "./edge/viewer-request.ts";
import { originSecret } from "./secrets.ts";

/** CloudFront's managed policy "CachingDisabled": every answer here is dynamic. */
const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";

/** Answers that CloudFront would otherwise keep for 10 seconds. */
const cachedErrorCodes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** With a guessable secret anyone could forge the router's headers. */
function unguessable(secret: string): string {
  if (secret.length < 32) throw new Error("the secret OriginSecret needs at least 32 characters");
  return secret;
}

const { domain, wafRateLimit } = deploySettings;

/** AWS WAF for its rate rule alone: the managed rules would look for attacks in pushed code. */
const rateRule = {
  rateLimitPerIp: wafRateLimit,
  managedRules: { coreRuleSet: false, knownBadInputs: false, sqlInjection: false },
};

/** The service's own answer to too many requests (D-RATE), instead of WAF's 403; the rule's window is five minutes. */
const tooManyRequests = { responseCode: 429, responseHeaders: [{ name: "Retry-After", value: "300" }] };

/** The one public address: JSON API and git under one host name. `DOMAIN` gives it a name of its own (Route 53). */
export const router = new sst.aws.Router("Router", {
  ...(domain === "" ? {} : { domain }),
  ...(wafRateLimit === 0 ? {} : { waf: rateRule }),
  edge: { viewerRequest: { injection: originSecret.value.apply(unguessable).apply(viewerRequestCode) } },
  transform: {
    waf: (args) => {
      args.rules = $output(args.rules).apply((rules) =>
        (rules ?? []).map((rule) => ({ ...rule, action: { block: { customResponse: tooManyRequests } } })),
      );
    },
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
