import "./permissions.ts";
import { pageOrigins } from "./page-origins.ts";
import { router } from "./router.ts";

const isProduction = $app.stage === "production";

/** The one table: keys as in docs/data.md; the index `actor` serves jobs alone. */
export const table = new sst.aws.Dynamo("Table", {
  fields: { pk: "string", sk: "string", a: "string", as: "string" },
  primaryIndex: { hashKey: "pk", rangeKey: "sk" },
  globalIndexes: { actor: { hashKey: "a", rangeKey: "as", projection: "keys-only" } },
  ttl: "ttl",
  deletionProtection: isProduction,
  transform: { table: { pointInTimeRecovery: { enabled: true } } },
});

/**
 * Packs, attachments and everything else that is not an item. Under `q/` lie uploads that the table does not name yet:
 * what is still there after a week was abandoned. Under `deliveries/` lie payloads of webhooks, kept as long as their items;
 * under `archives/` what can be made again. Parts of uploads that were never finished go after a day.
 */
export const objects = new sst.aws.Bucket("Objects", {
  // Pages hand large attachments to the bucket itself. What they may do is in the signed address; no cookie counts here.
  cors: {
    allowOrigins: [router.url, ...pageOrigins(process.env)],
    allowMethods: ["GET", "HEAD", "PUT"],
    allowHeaders: ["*"],
    exposeHeaders: ["ETag"],
    maxAge: "10 minutes",
  },
  lifecycle: [
    { id: "abandoned-uploads", prefix: "q/", expiresIn: "7 days" },
    { id: "delivered-payloads", prefix: "deliveries/", expiresIn: "8 days" },
    { id: "made-archives", prefix: "archives/", expiresIn: "1 day" },
    { id: "unfinished-parts" },
  ],
  transform: {
    bucket: { forceDestroy: !isProduction },
    lifecycle: (args) => {
      args.rules = $output(args.rules).apply((rules) =>
        (rules ?? []).map((rule) =>
          rule.id === "unfinished-parts"
            ? { ...rule, abortIncompleteMultipartUpload: { daysAfterInitiation: 1 } }
            : rule,
        ),
      );
    },
  },
});
