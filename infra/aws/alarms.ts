import { api } from "./api.ts";
import { deploySettings } from "./deploy-settings.ts";
import { faultPattern } from "./fault-pattern.ts";
import { git } from "./git.ts";
import { mirrors, repositoryEvents, webhooks } from "./queues.ts";
import { table } from "./storage.ts";
import { mirrorWorker, repositoryEventWorker, tickWorker, webhookWorker } from "./workers.ts";

/**
 * The target of alarms: every subscriber of this topic. `ALARM_EMAIL` subscribes one address (AWS asks it to confirm).
 */
export const alarms = new aws.sns.Topic("Alarms");

if (deploySettings.alarmEmail !== "") {
  new aws.sns.TopicSubscription("AlarmEmail", {
    topic: alarms.arn,
    protocol: "email",
    endpoint: deploySettings.alarmEmail,
  });
}

/** The common part of all alarms: a period of five minutes, the topic, and no alarm on missing data. */
const shared = {
  period: 300,
  evaluationPeriods: 1,
  comparisonOperator: "GreaterThanThreshold",
  treatMissingData: "notBreaching",
  alarmActions: [alarms.arn],
};

/** Rings as soon as one message could not be handled. */
function alarmOnDeadLetters(name: string, deadLetters: typeof webhooks.deadLetters) {
  return new aws.cloudwatch.MetricAlarm(`${name}DeadLetterAlarm`, {
    ...shared,
    alarmDescription: `Messages that ${name} could not handle wait in its dead letters`,
    namespace: "AWS/SQS",
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: deadLetters.nodes.queue.name },
    statistic: "Maximum",
    threshold: 0,
  });
}

/** Rings when a message has waited for an hour: its worker does not start, or can't keep up. */
function alarmOnAge(name: string, { queue }: typeof webhooks) {
  return new aws.cloudwatch.MetricAlarm(`${name}AgeAlarm`, {
    ...shared,
    alarmDescription: `Messages of ${name} wait for more than an hour`,
    namespace: "AWS/SQS",
    metricName: "ApproximateAgeOfOldestMessage",
    dimensions: { QueueName: queue.nodes.queue.name },
    statistic: "Maximum",
    threshold: 3600,
  });
}

/** Rings when DynamoDB has refused requests: one item or one partition gets more requests than it can serve. */
function alarmOnThrottling(what: "Read" | "Write") {
  return new aws.cloudwatch.MetricAlarm(`Table${what}Alarm`, {
    ...shared,
    alarmDescription: `DynamoDB throttles requests that ${what.toLowerCase()}`,
    namespace: "AWS/DynamoDB",
    metricName: `${what}ThrottleEvents`,
    dimensions: { TableName: table.name },
    statistic: "Sum",
    threshold: 0,
  });
}

/** One metric for all functions: without faults there is no data, and no cost. */
const faults = { namespace: `coldforge/${$app.stage}`, name: "Faults" };

/** Counts the lines of a function's log that tell of a fault. */
function countFaults(name: string, worker: typeof api) {
  return new aws.cloudwatch.LogMetricFilter(`${name}Faults`, {
    logGroupName: worker.nodes.logGroup.apply((group) => $output(group?.name ?? "")),
    pattern: faultPattern,
    metricTransformation: { ...faults, value: "1" },
  });
}

alarmOnDeadLetters("Webhooks", webhooks.deadLetters);
alarmOnDeadLetters("Mirrors", mirrors.deadLetters);
alarmOnDeadLetters("RepositoryEvents", repositoryEvents.deadLetters);

alarmOnAge("Webhooks", webhooks);
alarmOnAge("Mirrors", mirrors);
alarmOnAge("RepositoryEvents", repositoryEvents);

alarmOnThrottling("Read");
alarmOnThrottling("Write");

countFaults("Api", api);
countFaults("Git", git);
countFaults("WebhookWorker", webhookWorker);
countFaults("MirrorWorker", mirrorWorker);
countFaults("RepositoryEventWorker", repositoryEventWorker);
countFaults("TickWorker", tickWorker);

/** Rings at a 500 answer, a failed cron task or message, and a crashed function. */
new aws.cloudwatch.MetricAlarm("FaultAlarm", {
  ...shared,
  alarmDescription: "A function crashed, or logged an error of its own",
  namespace: faults.namespace,
  metricName: faults.name,
  statistic: "Sum",
  threshold: 0,
});

/** Rings when the tick has not run for a quarter of an hour: nothing is sent again and nothing is started then. */
new aws.cloudwatch.MetricAlarm("TickAlarm", {
  ...shared,
  alarmDescription: "The tick does not run",
  namespace: "AWS/Lambda",
  metricName: "Invocations",
  dimensions: { FunctionName: tickWorker.name },
  statistic: "Sum",
  evaluationPeriods: 3,
  comparisonOperator: "LessThanThreshold",
  threshold: 1,
  treatMissingData: "breaching",
});

new aws.sns.TopicPolicy("AlarmsPolicy", {
  arn: alarms.arn,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ["sns:Publish"],
        principals: [{ type: "Service", identifiers: ["budgets.amazonaws.com", "cloudwatch.amazonaws.com"] }],
        resources: [alarms.arn],
      },
    ],
  }).json,
});

/** Rings at 80 % of the month's budget, spent or forecast. `MONTHLY_BUDGET_USD` sets it; the whole account counts. */
new aws.budgets.Budget("Budget", {
  budgetType: "COST",
  timeUnit: "MONTHLY",
  limitUnit: "USD",
  limitAmount: String(deploySettings.monthlyBudgetUsd),
  notifications: ["ACTUAL", "FORECASTED"].map((notificationType) => ({
    notificationType,
    comparisonOperator: "GREATER_THAN",
    threshold: 80,
    thresholdType: "PERCENTAGE",
    subscriberSnsTopicArns: [alarms.arn],
  })),
});
