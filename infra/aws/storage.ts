import "./permissions.ts";
import { pageOrigins } from "./page-origins.ts";
import { router } from "./router.ts";

const isProduction = $app.stage === "production";

/** A deletion can be undone by hand for so many days: docs/operations.md says how. DynamoDB keeps no more. */
const recoveryDays = 35;

/** The one table: keys as in docs/data; only jobs use the index `actor`. */
export const table = new sst.aws.Dynamo("Table", {
  fields: { pk: "string", sk: "string", a: "string", as: "string" },
  primaryIndex: { hashKey: "pk", rangeKey: "sk" },
  globalIndexes: { actor: { hashKey: "a", rangeKey: "as", projection: "keys-only" } },
  ttl: "ttl",
  deletionProtection: isProduction,
  transform: { table: { pointInTimeRecovery: { enabled: true, recoveryPeriodInDays: recoveryDays } } },
});

/** Parts of rules that SST's own form can't express: how long former versions are kept, and other removals. */
const moreOfRule: Readonly<Record<string, object>> = {
  "abandoned-uploads": { noncurrentVersionExpiration: { noncurrentDays: 1 } },
  "delivered-payloads": { noncurrentVersionExpiration: { noncurrentDays: 1 } },
  "made-archives": { noncurrentVersionExpiration: { noncurrentDays: 1 } },
  "removed-objects": {
    noncurrentVersionExpiration: { noncurrentDays: recoveryDays + 1 },
    expiration: { expiredObjectDeleteMarker: true },
    abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
  },
};

/**
 * Packs, attachments and everything else that is not an item. Removed objects are kept as long as the table remembers
 * them, and a day more. Under `q/` lie uploads that the table does not name yet: after a week they were abandoned.
 * Under `deliveries/` lie payloads of webhooks, kept as long as their items; under `archives/` objects that can be made
 * again: of all these times S3 uses the shorter. Parts of unfinished uploads go after a day.
 */
export const objects = new sst.aws.Bucket("Objects", {
  // Pages upload large attachments to the bucket themselves. The signed address says what they may do; no cookie counts
  // here.
  cors: {
    allowOrigins: [router.url, ...pageOrigins(process.env)],
    allowMethods: ["GET", "HEAD", "PUT"],
    allowHeaders: ["*"],
    exposeHeaders: ["ETag"],
    maxAge: "10 minutes",
  },
  versioning: true,
  lifecycle: [
    { id: "abandoned-uploads", prefix: "q/", expiresIn: "7 days" },
    { id: "delivered-payloads", prefix: "deliveries/", expiresIn: "8 days" },
    { id: "made-archives", prefix: "archives/", expiresIn: "1 day" },
    { id: "removed-objects" },
  ],
  transform: {
    bucket: { forceDestroy: !isProduction },
    lifecycle: (args) => {
      args.rules = $output(args.rules).apply((rules) =>
        (rules ?? []).map((rule) => ({ ...rule, ...moreOfRule[rule.id ?? ""] })),
      );
    },
  },
});
