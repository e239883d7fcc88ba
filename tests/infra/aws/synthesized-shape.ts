import {
  type AlarmArgs,
  type FaultFilterArgs,
  type LifecycleRule,
  lifecycleOf,
  recoveryDays,
} from "./aws-inputs.ts";
import type {
  DeployedBucket,
  DeployedFunction,
  DeployedQueue,
  DeployedShape,
  DeployedTable,
} from "./deployed-shape.ts";
import { type Find, finder, functionOf, queueOf } from "./recorded-resources.ts";
import type { RecordedBuild, Recording } from "./recording.ts";
import { deployedGateway, deployedRouter } from "./synthesized-front.ts";

interface FunctionInputs {
  handler: string;
  runtime: string;
  architectures: [string];
  timeout: number;
  memorySize: number;
  ephemeralStorage: { size: number };
  environment: { variables: Record<string, string> };
  loggingConfig?: { logGroup: string };
  vpcConfig?: unknown;
  reservedConcurrentExecutions?: number;
}

function allowedActions(find: Find, role: string): string[] {
  const found = find
    .all<{ inlinePolicies: { policy: string }[] }>("aws:iam/role:Role")
    .find(({ name }) => name === role);
  return (found?.inputs.inlinePolicies ?? []).flatMap(({ policy }) =>
    (JSON.parse(policy) as { Statement: { actions: string[] }[] }).Statement.flatMap(
      ({ actions }) => actions,
    ),
  );
}

function logRetentionDays(find: Find, group: string): number {
  const groups = find.all<{ name: string; retentionInDays: number }>("aws:cloudwatch/logGroup:LogGroup");
  return groups.find(({ inputs }) => inputs.name === group)?.inputs.retentionInDays ?? 0;
}

function deployedFunction(find: Find, build: RecordedBuild): DeployedFunction {
  const name = build.functionID;
  const found = find
    .all<FunctionInputs>("aws:lambda/function:Function")
    .find((one) => one.name === `${name}Function`);
  if (found === undefined) throw new Error(`no function ${name}`);
  const { inputs } = found;
  const url = find
    .all<{ functionName: string; invokeMode: string }>("aws:lambda/functionUrl:FunctionUrl")
    .find((one) => functionOf(one.inputs.functionName) === name);
  return {
    name,
    handler: inputs.handler,
    runtime: inputs.runtime,
    architecture: inputs.architectures[0],
    timeoutSeconds: inputs.timeout,
    memoryMb: inputs.memorySize,
    storageMb: inputs.ephemeralStorage.size,
    ...(inputs.reservedConcurrentExecutions && {
      reservedConcurrency: inputs.reservedConcurrentExecutions,
    }),
    isStreaming: url?.inputs.invokeMode === "RESPONSE_STREAM",
    isInVpc: inputs.vpcConfig !== undefined,
    logRetentionDays: logRetentionDays(find, inputs.loggingConfig?.logGroup ?? ""),
    environment: inputs.environment.variables,
    links: build.links,
    isSplit: build.properties.splitting === true,
    installed: build.properties.install ?? [],
    addedFiles: async () => build.addedFiles,
    allowedActions: allowedActions(find, `${name}Role`),
  };
}

function deployedQueues(find: Find): DeployedQueue[] {
  const consumers = find.all<{
    eventSourceArn: string;
    functionName: string;
    batchSize: number;
    functionResponseTypes: string[];
    scalingConfig?: { maximumConcurrency: number };
  }>("aws:lambda/eventSourceMapping:EventSourceMapping");
  return find
    .all<{
      visibilityTimeoutSeconds: number;
      messageRetentionSeconds: number;
      redrivePolicy?: string;
    }>("aws:sqs/queue:Queue")
    .map(({ name, inputs }) => {
      const redrive = JSON.parse(inputs.redrivePolicy ?? "null") as Record<string, string> | null;
      const consumer = consumers.find((one) => queueOf(one.inputs.eventSourceArn) === queueOf(name))?.inputs;
      return {
        name: queueOf(name),
        visibilitySeconds: inputs.visibilityTimeoutSeconds,
        retentionSeconds: inputs.messageRetentionSeconds,
        ...(redrive && {
          deadLetters: {
            queue: queueOf(redrive.deadLetterTargetArn ?? ""),
            maxReceives: Number(redrive.maxReceiveCount),
          },
        }),
        ...(consumer && {
          consumer: {
            function: functionOf(consumer.functionName),
            batchSize: consumer.batchSize,
            reportsItemFailures: consumer.functionResponseTypes.includes("ReportBatchItemFailures"),
            maximumConcurrency: consumer.scalingConfig?.maximumConcurrency ?? Number.POSITIVE_INFINITY,
          },
        }),
      };
    });
}

function deployedTable(find: Find): DeployedTable {
  const inputs = find.one<{
    hashKey: string;
    rangeKey: string;
    attributes: { name: string; type: string }[];
    globalSecondaryIndexes: { name: string; hashKey: string; rangeKey: string; projectionType: string }[];
    ttl: { attributeName: string };
    pointInTimeRecovery: { enabled: boolean; recoveryPeriodInDays: number };
    deletionProtectionEnabled: boolean;
  }>("aws:dynamodb/table:Table");
  return {
    hashKey: inputs.hashKey,
    rangeKey: inputs.rangeKey,
    attributes: Object.fromEntries(inputs.attributes.map(({ name, type }) => [name, type])),
    indexes: inputs.globalSecondaryIndexes.map(({ name, hashKey, rangeKey, projectionType }) => ({
      name,
      hashKey,
      rangeKey,
      projection: projectionType,
    })),
    ttlAttribute: inputs.ttl.attributeName,
    recoveryDays: recoveryDays(inputs.pointInTimeRecovery),
    hasDeletionProtection: inputs.deletionProtectionEnabled,
  };
}

function deployedBucket(find: Find): DeployedBucket {
  const block = find.one<Record<string, unknown>>("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock");
  const { rules } = find.one<{ rules: LifecycleRule[] }>(
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
  );
  const [versioning] = find.all<{ versioningConfiguration: { status: string } }>(
    "aws:s3/bucketVersioning:BucketVersioning",
  );
  const [cors] = find.one<{ corsRules: { allowedOrigins: string[]; allowedMethods: string[] }[] }>(
    "aws:s3/bucketCorsConfiguration:BucketCorsConfiguration",
  ).corsRules;
  return {
    isPublic: !(block.blockPublicAcls && block.blockPublicPolicy && block.restrictPublicBuckets),
    cors: { origins: cors?.allowedOrigins ?? [], methods: cors?.allowedMethods ?? [] },
    isEmptiedOnRemoval: find.one<{ forceDestroy: boolean }>("aws:s3/bucket:Bucket").forceDestroy,
    isVersioned: versioning?.inputs.versioningConfiguration.status === "Enabled",
    lifecycle: rules.map(lifecycleOf),
  };
}

/** The queue, function or table that an alarm is about, else the name space of its metric. */
function watched({ namespace, dimensions: { QueueName, FunctionName, TableName } = {} }: AlarmArgs): string {
  if (QueueName !== undefined) return queueOf(QueueName);
  if (FunctionName !== undefined) return functionOf(FunctionName);
  return TableName?.replace(/Table$/, "") ?? namespace;
}

function faultFilters(find: Find): DeployedShape["faultFilters"] {
  const functions = find.all<FunctionInputs>("aws:lambda/function:Function");
  return find
    .all<FaultFilterArgs>("aws:cloudwatch/logMetricFilter:LogMetricFilter")
    .map(({ inputs: { logGroupName, pattern, metricTransformation } }) => ({
      function: functionOf(
        functions.find(({ inputs }) => inputs.loggingConfig?.logGroup === logGroupName)?.name ?? "",
      ),
      pattern,
      metric: `${metricTransformation.namespace} ${metricTransformation.name}`,
    }));
}

/** Reads the shape from what SST's real components would create. */
export function synthesizedShape({ resources, builds }: Recording): DeployedShape {
  const find = finder(resources);
  return {
    functions: builds.map((build) => deployedFunction(find, build)),
    queues: deployedQueues(find),
    table: deployedTable(find),
    bucket: deployedBucket(find),
    gateway: deployedGateway(find),
    functionUrls: find
      .all<{ functionName: string; authorizationType: string; cors?: unknown }>(
        "aws:lambda/functionUrl:FunctionUrl",
      )
      .map(({ inputs }) => ({
        function: functionOf(inputs.functionName),
        authorization: inputs.authorizationType.toLowerCase(),
        hasCors: inputs.cors !== undefined,
      })),
    router: deployedRouter(find),
    schedules: find
      .all<{ scheduleExpression: string; target: { arn: string } }>("aws:scheduler/schedule:Schedule")
      .map(({ inputs }) => ({
        expression: inputs.scheduleExpression,
        function: functionOf(inputs.target.arn),
      })),
    alarms: find
      .all<AlarmArgs>("aws:cloudwatch/metricAlarm:MetricAlarm")
      .map(({ inputs }) => ({ metric: inputs.metricName, of: watched(inputs) })),
    faultFilters: faultFilters(find),
    monthlyBudgetUsd: Number(find.one<{ limitAmount: string }>("aws:budgets/budget:Budget").limitAmount),
    secrets: find.all("sst:sst:Secret").map(({ name }) => name),
  };
}
