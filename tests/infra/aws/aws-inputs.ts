import type { DeployedBucket, DeployedRouter } from "./deployed-shape.ts";

/** A lifecycle rule as the AWS provider takes it. */
export interface LifecycleRule {
  filter?: { prefix: string };
  expiration?: { days?: number; expiredObjectDeleteMarker?: boolean };
  noncurrentVersionExpiration?: { noncurrentDays: number };
  abortIncompleteMultipartUpload?: { daysAfterInitiation: number };
}

export const lifecycleOf = (rule: LifecycleRule): DeployedBucket["lifecycle"][number] => ({
  ...(rule.filter && { prefix: rule.filter.prefix }),
  ...(rule.expiration?.days && { expiresAfterDays: rule.expiration.days }),
  ...(rule.expiration?.expiredObjectDeleteMarker && { removesLoneDeleteMarkers: true }),
  ...(rule.noncurrentVersionExpiration && {
    formerVersionsGoAfterDays: rule.noncurrentVersionExpiration.noncurrentDays,
  }),
  ...(rule.abortIncompleteMultipartUpload && {
    abortsUploadsAfterDays: rule.abortIncompleteMultipartUpload.daysAfterInitiation,
  }),
});

/** 0 without point-in-time recovery. */
export const recoveryDays = (settings: { enabled: boolean; recoveryPeriodInDays: number }): number =>
  settings.enabled ? settings.recoveryPeriodInDays : 0;

export interface ThrottleSettings {
  throttlingRateLimit: number;
  throttlingBurstLimit: number;
}

/** An alarm; a metric of the service's own has no dimensions. */
export interface AlarmArgs {
  metricName: string;
  namespace: string;
  dimensions?: { QueueName?: string; FunctionName?: string; TableName?: string };
}

export interface FaultFilterArgs {
  logGroupName: string;
  pattern: string;
  metricTransformation: { namespace: string; name: string };
}

/** A rule of AWS WAF that refuses. */
export interface FirewallRule {
  name: string;
  action?: { block: { customResponse?: { responseCode: number } } };
  statement?: { rateBasedStatement?: { limit: number } };
}

export const firewallRule = (
  { name, action, statement }: FirewallRule,
  limit = statement?.rateBasedStatement?.limit,
): DeployedRouter["firewall"][number] => ({
  name,
  requestsInFiveMinutes: limit ?? 0,
  refusedWith: action?.block.customResponse?.responseCode ?? 403,
});
