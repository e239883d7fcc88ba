import { deploySettings } from "./deploy-settings.ts";
import { openPgpAndTemplatesBeside, sharedFunctionArgs } from "./function.ts";
import { router } from "./router.ts";
import { originSecret } from "./secrets.ts";
import { addComputeThread } from "./thread-scripts.ts";

/** The JSON API. 29 seconds: the gateway gives up at 30. One full CPU, because passwords are hashed here. */
export const api = new sst.aws.Function("Api", {
  ...sharedFunctionArgs,
  handler: "functions/api/index.handler",
  timeout: "29 seconds",
  memory: "1769 MB",
  nodejs: openPgpAndTemplatesBeside,
  hook: { postbuild: addComputeThread("functions/api") },
  link: [...sharedFunctionArgs.link, originSecret],
});

/**
 * One route for all paths: the app does its own routing, and its own CORS. Throttled, which bounds the cost of a flood.
 */
export const gateway = new sst.aws.ApiGatewayV2("Gateway", {
  cors: false,
  accessLog: { retention: "1 month" },
  transform: {
    stage: {
      defaultRouteSettings: {
        throttlingBurstLimit: deploySettings.gatewayBurstLimit,
        throttlingRateLimit: deploySettings.gatewayRateLimit,
      },
    },
  },
});
gateway.route("$default", api.arn);

router.route("/api", gateway.url, { readTimeout: "30 seconds" });
router.route("/avatars", gateway.url, { readTimeout: "30 seconds" });
router.route("/user", gateway.url, { readTimeout: "30 seconds" });
router.route("/login/oauth", gateway.url, { readTimeout: "30 seconds" });
router.route("/.well-known/openid-configuration", gateway.url, { readTimeout: "30 seconds" });
router.route("/.well-known/nodeinfo", gateway.url, { readTimeout: "30 seconds" });
router.route("/swagger.v1.json", gateway.url, { readTimeout: "30 seconds" });
