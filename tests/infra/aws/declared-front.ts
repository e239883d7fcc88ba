import { type FirewallRule, firewallRule, type ThrottleSettings } from "./aws-inputs.ts";
import { type Find, nameIn, seconds } from "./declarations.ts";
import type { DeployedRouter, DeployedShape } from "./deployed-shape.ts";
import { type Declaration, resolved } from "./fake-sst.ts";

interface CdnArgs {
  defaultCacheBehavior: {
    cachePolicyId?: string;
    lambdaFunctionAssociations?: { eventType: string; lambdaArn: string }[];
  };
  customErrorResponses?: { errorCode: number; errorCachingMinTtl: number }[];
}

/** The rules that SST's router makes, as far as they are not switched off. */
function declaredFirewall(
  { args }: Declaration,
  { rateLimitPerIp, managedRules }: { rateLimitPerIp: number; managedRules: Record<string, boolean> },
): DeployedRouter["firewall"] {
  const managed = ["coreRuleSet", "knownBadInputs", "sqlInjection"].filter(
    (one) => managedRules[one] !== false,
  );
  const rules: { rules: unknown } = {
    rules: [{ name: "RateLimitPerIP" }, ...managed.map((name) => ({ name }))],
  };
  (args.transform as { waf: (args: { rules: unknown }) => void }).waf(rules);
  return (resolved(rules.rules) as FirewallRule[]).map((rule) => firewallRule(rule, rateLimitPerIp));
}

/** The router as it is handed to SST. */
export function deployedRouter(find: Find): DeployedRouter {
  const declaration = find.one("sst.aws.Router");
  const { edge, waf } = find.args<{
    edge: { viewerRequest: { injection: string } };
    waf?: { rateLimitPerIp: number; managedRules: Record<string, boolean> };
  }>(declaration);
  const given: CdnArgs = { defaultCacheBehavior: {} };
  (declaration.args.transform as { cdn: (args: CdnArgs) => void }).cdn(given);
  const cdn = resolved(given) as CdnArgs;
  const [trigger] = cdn.defaultCacheBehavior.lambdaFunctionAssociations ?? [];
  const routes = declaration.calls.map(
    ({ args }) => resolved(args) as [string, string, { readTimeout: string }],
  );
  return {
    routes: routes.map(([path, url, { readTimeout }]) => ({
      path,
      origin: nameIn(url),
      readTimeoutSeconds: seconds(readTimeout),
    })),
    cachePolicyId: cdn.defaultCacheBehavior.cachePolicyId ?? "",
    uncachedErrors: (cdn.customErrorResponses ?? [])
      .filter(({ errorCachingMinTtl }) => errorCachingMinTtl === 0)
      .map(({ errorCode }) => errorCode),
    firewall: waf === undefined ? [] : declaredFirewall(declaration, waf),
    viewerRequestCode: edge.viewerRequest.injection,
    originResponseFunction: trigger?.eventType === "origin-response" ? nameIn(trigger.lambdaArn) : "",
  };
}

/** HTTP API as declared. */
export function deployedGateway(find: Find): DeployedShape["gateway"] {
  const declaration = find.one("sst.aws.ApiGatewayV2");
  const { cors, transform } = find.args<{
    cors?: false;
    transform: { stage: { defaultRouteSettings: ThrottleSettings } };
  }>(declaration);
  const { throttlingRateLimit, throttlingBurstLimit } = transform.stage.defaultRouteSettings;
  return {
    routes: declaration.calls
      .map(({ args }) => resolved(args) as [string, string])
      .map(([key, arn]) => ({ key, function: nameIn(arn) })),
    hasCors: cors !== false,
    requestsPerSecond: throttlingRateLimit,
    requestsAtOnce: throttlingBurstLimit,
  };
}

export function deployedFunctionUrls(find: Find): DeployedShape["functionUrls"] {
  return find.all("sst.aws.Function").flatMap((declaration) => {
    const { url } = find.args<{ url?: { authorization: string; cors?: false } }>(declaration);
    if (url === undefined) return [];
    return [{ function: declaration.name, authorization: url.authorization, hasCors: url.cors !== false }];
  });
}
