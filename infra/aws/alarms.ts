import { mirrors, repositoryEvents, webhooks } from "./queues.ts";

/** Where alarms go: every subscriber of this topic. `ALARM_EMAIL` subscribes one address (AWS asks it to confirm). */
export const alarms = new aws.sns.Topic("Alarms");

if (process.env.ALARM_EMAIL !== undefined) {
  new aws.sns.TopicSubscription("AlarmEmail", {
    topic: alarms.arn,
    protocol: "email",
    endpoint: process.env.ALARM_EMAIL,
  });
}

/** Rings as soon as one message could not be handled. */
function alarmOnDeadLetters(name: string, deadLetters: typeof webhooks.deadLetters) {
  return new aws.cloudwatch.MetricAlarm(`${name}DeadLetterAlarm`, {
    alarmDescription: `Messages that ${name} could not handle wait in its dead letters`,
    namespace: "AWS/SQS",
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: deadLetters.nodes.queue.name },
    statistic: "Maximum",
    period: 300,
    evaluationPeriods: 1,
    comparisonOperator: "GreaterThanThreshold",
    threshold: 0,
    treatMissingData: "notBreaching",
    alarmActions: [alarms.arn],
  });
}

alarmOnDeadLetters("Webhooks", webhooks.deadLetters);
alarmOnDeadLetters("Mirrors", mirrors.deadLetters);
alarmOnDeadLetters("RepositoryEvents", repositoryEvents.deadLetters);

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
