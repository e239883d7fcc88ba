import { z } from "zod";
import { networkProblem } from "../guarded-client/allowed-hosts.ts";
import { secretKeyProblem } from "../secrets.ts";
import { secret, setting } from "./setting.ts";
import { flag, httpUrl, integer, listOf, text } from "./shapes.ts";

const sealingKeys = text.superRefine((value, context) => {
  const problem = secretKeyProblem(value);
  if (problem !== undefined) context.addIssue(problem);
});

const tableName = text.regex(/^[\w.-]{3,255}$/, "expected 3 to 255 letters, digits and . _ -");

const bucketName = text.regex(
  /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/,
  "expected 3 to 63 small letters, digits, dots and hyphens",
);

const queueUrl = httpUrl("https://sqs.eu-west-1.amazonaws.com/123456789012/webhooks");

/** The service: its address, the parts it works with, and the form of its answers. */
export const serviceSettings = {
  rootUrl: setting<string>(
    "ROOT_URL",
    httpUrl("https://forge.example.org"),
    "http://127.0.0.1:3000",
    "what links and clone URLs start with",
  ),
  tableName: setting<string>("TABLE_NAME", tableName, "", "the DynamoDB table"),
  bucketName: setting<string>("BUCKET_NAME", bucketName, "", "the S3 bucket"),
  webhooksQueueUrl: setting<string>(
    "WEBHOOKS_QUEUE_URL",
    queueUrl,
    "",
    "the SQS queue of webhook deliveries",
  ),
  mirrorsQueueUrl: setting<string>("MIRRORS_QUEUE_URL", queueUrl, "", "the SQS queue of mirror syncs"),
  repositoryEventsQueueUrl: setting<string>(
    "REPOSITORY_EVENTS_QUEUE_URL",
    queueUrl,
    "",
    "the SQS queue of repository events",
  ),
  secretKey: secret("SECRET_KEY", sealingKeys, "32 bytes in base64; encrypts what must be readable again"),
  hookKey: secret(
    "HOOK_KEY",
    sealingKeys,
    "what the worker of webhooks has in place of SECRET_KEY and opens hooks' secrets alone; a deploy derives it",
  ),
  originSecret: secret(
    "ORIGIN_SECRET",
    text,
    "shared by the edge and the functions; empty: no edge in front",
  ),
  compatibilityVersion: setting<string>(
    "COMPATIBILITY_VERSION",
    z.string().regex(/^\d+\.\d+\.\d+/, "expected a version such as 12.0.0+gitea-1.22.0"),
    "12.0.0+gitea-1.22.0",
    "the version that /version states; clients switch features on by it (D-VERSION)",
  ),
  maxResponseItems: setting("MAX_RESPONSE_ITEMS", integer(1, 1000), 50, "the largest page of a list"),
  defaultPagingNum: setting("DEFAULT_PAGING_NUM", integer(1, 1000), 30, "the page size when none is asked"),
  commitStatusesForm: setting<"combined" | "list">(
    "COMMIT_STATUSES_FORM",
    z.enum(["combined", "list"]),
    "combined",
    "what commits/{ref}/statuses answers without a query; Renovate needs list (D-STATUSES)",
  ),
  repeatedRequests: setting(
    "REPEATED_REQUESTS",
    flag,
    true,
    "sends requests to DynamoDB as repetitions of the SDK's last one, at half the CPU; false: each by all of the SDK",
  ),
  trustedProxies: setting<string[]>(
    "TRUSTED_PROXIES",
    listOf(networkProblem),
    [],
    "addresses or networks whose X-Forwarded-For is believed",
  ),
  logLevel: setting<"debug" | "info" | "warn" | "error">(
    "LOG_LEVEL",
    z.enum(["debug", "info", "warn", "error"]),
    "info",
    "the least level that is logged",
  ),
} as const;
