import { z } from "zod";
import { readAll, setting } from "#core/config/setting";
import { integer, text } from "#core/config/shapes";

const emailAddress = z.email("expected an e-mail address");

/** Settings of a deploy beside the service's own: docs/deployment.md says the same of each. */
const deployVariables = {
  domain: setting<string>("DOMAIN", text, "", "host name in a Route 53 zone of the account"),
  alarmEmail: setting<string>("ALARM_EMAIL", emailAddress, "", "who is told of alarms and of the budget"),
  monthlyBudgetUsd: setting("MONTHLY_BUDGET_USD", integer(1, 10_000_000), 20, "dollars of the whole account"),
  gatewayRateLimit: setting(
    "GATEWAY_RATE_LIMIT",
    integer(1, 10_000),
    100,
    "requests per second that the API's gateway lets pass, of all callers together",
  ),
  gatewayBurstLimit: setting(
    "GATEWAY_BURST_LIMIT",
    integer(1, 5_000),
    200,
    "how many more it lets pass at once",
  ),
  gitReservedConcurrency: setting(
    "GIT_RESERVED_CONCURRENCY",
    integer(1, 100_000),
    0,
    "executions that git has for itself and at most; unset: as many as the account has left",
  ),
  wafRateLimit: setting(
    "WAF_RATE_LIMIT",
    integer(10, 2_000_000_000),
    0,
    "requests of one address in five minutes beyond which AWS WAF refuses; unset: no WAF",
  ),
} as const;

/**
 * The settings of this deploy, from the deployer's environment or `.env.<stage>`. A malformed one stops it: throws
 * SettingError.
 */
export const deploySettings = readAll(deployVariables, process.env);
