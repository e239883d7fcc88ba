import type {
  DeployedBucket,
  DeployedFunction,
  DeployedQueue,
  DeployedRouter,
  DeployedShape,
  DeployedTable,
} from "./deployed-shape.ts";
import type { RecordedBuild, RecordedResource, Recording } from "./recording.ts";

type Inputs = Record<string, unknown>;

/** A resource's inputs, typed by what the reader expects of them. */
type Typed<T> = { name: string; inputs: T };

const secretMark = "4dabf18193072939515e22adb298388d";

/** Values that depend on a secret arrive wrapped in Pulumi's mark; the mark is taken off. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped);
  if (value === null || typeof value !== "object") return value;
  if (secretMark in value) return unwrapped((value as unknown as { value: unknown }).value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unwrapped(one)]));
}

/** Finds resources by Pulumi type. */
function finder(resources: RecordedResource[]) {
  const all = <T = Inputs>(type: string): Typed<T>[] =>
    resources
      .filter((resource) => resource.type === type)
      .map(({ name, inputs }) => ({ name, inputs: unwrapped(inputs) as T }));
  const one = <T = Inputs>(type: string): T => {
    const found = all<T>(type);
    const [first] = found;
    if (first === undefined || found.length > 1) throw new Error(`${found.length} resources of type ${type}`);
    return first.inputs;
  };
  return { all, one };
}
type Find = ReturnType<typeof finder>;

const functionOf = (arnOrName: string) => (arnOrName.split(":").at(-1) ?? "").replace(/Function$/, "");
const queueOf = (arnOrUrl: string) => (arnOrUrl.split(/[:/]/).at(-1) ?? "").replace(/Queue$/, "");

interface FunctionInputs {
  handler: string;
  runtime: string;
  architectures: [string];
  timeout: number;
  memorySize: number;
  ephemeralStorage: { size: number };
  environment: { variables: Record<string, string> };
  loggingConfig: { logGroup: string };
  vpcConfig?: unknown;
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
    isStreaming: url?.inputs.invokeMode === "RESPONSE_STREAM",
    isInVpc: inputs.vpcConfig !== undefined,
    logRetentionDays: logRetentionDays(find, inputs.loggingConfig.logGroup),
    environment: inputs.environment.variables,
    links: build.links,
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
    pointInTimeRecovery: { enabled: boolean };
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
    hasPointInTimeRecovery: inputs.pointInTimeRecovery.enabled,
    hasDeletionProtection: inputs.deletionProtectionEnabled,
  };
}

function deployedBucket(find: Find): DeployedBucket {
  const block = find.one<Record<string, unknown>>("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock");
  const { rules } = find.one<{
    rules: {
      filter?: { prefix: string };
      expiration?: { days: number };
      abortIncompleteMultipartUpload?: { daysAfterInitiation: number };
    }[];
  }>("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration");
  return {
    isPublic: !(block.blockPublicAcls && block.blockPublicPolicy && block.restrictPublicBuckets),
    hasCors: find.all("aws:s3/bucketCorsConfiguration:BucketCorsConfiguration").length > 0,
    isEmptiedOnRemoval: find.one<{ forceDestroy: boolean }>("aws:s3/bucket:Bucket").forceDestroy,
    lifecycle: rules.map((rule) => ({
      ...(rule.filter && { prefix: rule.filter.prefix }),
      ...(rule.expiration && { expiresAfterDays: rule.expiration.days }),
      ...(rule.abortIncompleteMultipartUpload && {
        abortsUploadsAfterDays: rule.abortIncompleteMultipartUpload.daysAfterInitiation,
      }),
    })),
  };
}

/** Routes lie in CloudFront's key-value store: one entry names the path, another the origin's host. */
function routerRoutes(find: Find): DeployedRouter["routes"] {
  const entries = find.all<{
    namespace: string;
    entry?: string;
    entries?: { metadata: string };
  }>("pulumi-nodejs:dynamic:Resource");
  const hosts: Record<string, string> = {
    "gatewayapi.gateway.example": "Gateway",
    "giturl.lambda-url.example": "Git",
  };
  return entries.flatMap(({ inputs: { entry } }) => {
    if (entry === undefined) return [];
    const [, namespace, , path = ""] = entry.split(",");
    const target = entries.find(({ inputs }) => inputs.entries && inputs.namespace === namespace);
    const metadata = JSON.parse(target?.inputs.entries?.metadata ?? "{}") as {
      host: string;
      origin: { timeouts: { readTimeout: number } };
    };
    const origin = hosts[metadata.host] ?? metadata.host;
    return [{ path, origin, readTimeoutSeconds: metadata.origin.timeouts.readTimeout }];
  });
}

function deployedRouter(find: Find): DeployedRouter {
  const { defaultCacheBehavior, customErrorResponses } = find.one<{
    defaultCacheBehavior: {
      cachePolicyId: string;
      lambdaFunctionAssociations: { eventType: string; lambdaArn: string }[];
    };
    customErrorResponses: { errorCode: number; errorCachingMinTtl: number }[];
  }>("aws:cloudfront/distribution:Distribution");
  const [trigger] = defaultCacheBehavior.lambdaFunctionAssociations;
  return {
    routes: routerRoutes(find),
    cachePolicyId: defaultCacheBehavior.cachePolicyId,
    uncachedErrors: customErrorResponses
      .filter(({ errorCachingMinTtl }) => errorCachingMinTtl === 0)
      .map(({ errorCode }) => errorCode),
    viewerRequestCode: find.one<{ code: string }>("aws:cloudfront/function:Function").code,
    originResponseFunction:
      trigger?.eventType === "origin-response" ? (trigger.lambdaArn.split(":").at(-2) ?? "") : "",
  };
}

function deployedGateway(find: Find): DeployedShape["gateway"] {
  const { integrationUri } = find.one<{ integrationUri: string }>("aws:apigatewayv2/integration:Integration");
  return {
    routes: find
      .all<{ routeKey: string }>("aws:apigatewayv2/route:Route")
      .map(({ inputs }) => ({ key: inputs.routeKey, function: functionOf(integrationUri) })),
    hasCors:
      Object.keys(find.one<{ corsConfiguration: object }>("aws:apigatewayv2/api:Api").corsConfiguration)
        .length > 0,
    requestsPerSecond: find.one<{ defaultRouteSettings: { throttlingRateLimit: number } }>(
      "aws:apigatewayv2/stage:Stage",
    ).defaultRouteSettings.throttlingRateLimit,
  };
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
    alarmedQueues: find
      .all<{ dimensions: { QueueName: string } }>("aws:cloudwatch/metricAlarm:MetricAlarm")
      .map(({ inputs }) => queueOf(inputs.dimensions.QueueName)),
    monthlyBudgetUsd: Number(find.one<{ limitAmount: string }>("aws:budgets/budget:Budget").limitAmount),
    secrets: find.all("sst:sst:Secret").map(({ name }) => name),
  };
}
