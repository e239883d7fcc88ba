import { type FirewallRule, firewallRule, type ThrottleSettings } from "./aws-inputs.ts";
import type { DeployedRouter, DeployedShape } from "./deployed-shape.ts";
import { type Find, functionOf } from "./recorded-resources.ts";

/** Routes lie in CloudFront's key-value store: one entry names the path, another the origin's host. */
function routerRoutes(find: Find): DeployedRouter["routes"] {
  const entries = find.all<{
    namespace: string;
    entry?: string;
    entries?: { metadata: string };
  }>("pulumi-nodejs:dynamic:Resource");
  const hosts: Record<string, string> = {
    "gatewayapi.gateway.example": "Gateway",
    "giturl.lambda-url.example": "Git",
  };
  return entries.flatMap(({ inputs: { entry } }) => {
    if (entry === undefined) return [];
    const [, namespace, , path = ""] = entry.split(",");
    const target = entries.find(({ inputs }) => inputs.entries && inputs.namespace === namespace);
    const metadata = JSON.parse(target?.inputs.entries?.metadata ?? "{}") as {
      host: string;
      origin: { timeouts: { readTimeout: number } };
    };
    const origin = hosts[metadata.host] ?? metadata.host;
    return [{ path, origin, readTimeoutSeconds: metadata.origin.timeouts.readTimeout }];
  });
}

/** The router as CloudFront gets it. */
export function deployedRouter(find: Find): DeployedRouter {
  const { defaultCacheBehavior, customErrorResponses } = find.one<{
    defaultCacheBehavior: {
      cachePolicyId: string;
      lambdaFunctionAssociations: { eventType: string; lambdaArn: string }[];
    };
    customErrorResponses: { errorCode: number; errorCachingMinTtl: number }[];
  }>("aws:cloudfront/distribution:Distribution");
  const [trigger] = defaultCacheBehavior.lambdaFunctionAssociations;
  return {
    routes: routerRoutes(find),
    cachePolicyId: defaultCacheBehavior.cachePolicyId,
    uncachedErrors: customErrorResponses
      .filter(({ errorCachingMinTtl }) => errorCachingMinTtl === 0)
      .map(({ errorCode }) => errorCode),
    firewall: find
      .all<{ rules: FirewallRule[] }>("aws:wafv2/webAcl:WebAcl")
      .flatMap(({ inputs }) => inputs.rules.map((rule) => firewallRule(rule))),
    viewerRequestCode: find.one<{ code: string }>("aws:cloudfront/function:Function").code,
    originResponseFunction:
      trigger?.eventType === "origin-response" ? (trigger.lambdaArn.split(":").at(-2) ?? "") : "",
  };
}

/** HTTP API as declared. */
export function deployedGateway(find: Find): DeployedShape["gateway"] {
  const { integrationUri } = find.one<{ integrationUri: string }>("aws:apigatewayv2/integration:Integration");
  const { throttlingRateLimit, throttlingBurstLimit } = find.one<{ defaultRouteSettings: ThrottleSettings }>(
    "aws:apigatewayv2/stage:Stage",
  ).defaultRouteSettings;
  return {
    routes: find
      .all<{ routeKey: string }>("aws:apigatewayv2/route:Route")
      .map(({ inputs }) => ({ key: inputs.routeKey, function: functionOf(integrationUri) })),
    hasCors:
      Object.keys(find.one<{ corsConfiguration: object }>("aws:apigatewayv2/api:Api").corsConfiguration)
        .length > 0,
    requestsPerSecond: throttlingRateLimit,
    requestsAtOnce: throttlingBurstLimit,
  };
}
