import { api } from "./api.ts";
import { git } from "./git.ts";
import { mirrors, repositoryEvents, webhooks } from "./queues.ts";
import { tickWorker } from "./workers.ts";

/** Where alarms go: every subscriber of this topic. `ALARM_EMAIL` subscribes one address (AWS asks it to confirm). */
export const alarms = new aws.sns.Topic("Alarms");

if (process.env.ALARM_EMAIL !== undefined) {
  new aws.sns.TopicSubscription("AlarmEmail", {
    topic: alarms.arn,
    protocol: "email",
    endpoint: process.env.ALARM_EMAIL,
  });
}

/** What every alarm has: it looks at five minutes, tells the topic, and takes silence for good news. */
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

/** Rings when a message has waited for an hour: its worker is not started, or can't keep up. */
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

/** Rings when a function crashed, ran out of time or memory more than once in five minutes. Refusals don't count. */
function alarmOnErrors(name: string, worker: typeof api) {
  return new aws.cloudwatch.MetricAlarm(`${name}ErrorAlarm`, {
    ...shared,
    alarmDescription: `${name} crashes, or runs out of time or memory`,
    namespace: "AWS/Lambda",
    metricName: "Errors",
    dimensions: { FunctionName: worker.name },
    statistic: "Sum",
    threshold: 1,
  });
}

alarmOnDeadLetters("Webhooks", webhooks.deadLetters);
alarmOnDeadLetters("Mirrors", mirrors.deadLetters);
alarmOnDeadLetters("RepositoryEvents", repositoryEvents.deadLetters);

alarmOnAge("Webhooks", webhooks);
alarmOnAge("RepositoryEvents", repositoryEvents);
alarmOnErrors("Api", api);
alarmOnErrors("Git", git);

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

/** Rings at 80 % of the month's money, spent or foreseen. `MONTHLY_BUDGET_USD` sets it; the whole account counts. */
new aws.budgets.Budget("Budget", {
  budgetType: "COST",
  timeUnit: "MONTHLY",
  limitUnit: "USD",
  limitAmount: process.env.MONTHLY_BUDGET_USD ?? "20",
  notifications: ["ACTUAL", "FORECASTED"].map((notificationType) => ({
    notificationType,
    comparisonOperator: "GREATER_THAN",
    threshold: 80,
    thresholdType: "PERCENTAGE",
    subscriberSnsTopicArns: [alarms.arn],
  })),
});
