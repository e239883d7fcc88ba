import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import {
  type AlarmArgs,
  type FaultFilterArgs,
  type LifecycleRule,
  lifecycleOf,
  recoveryDays,
} from "./aws-inputs.ts";
import { type Find, finder, megabytes, nameIn, recordDeclarations, seconds } from "./declarations.ts";
import { deployedFunctionUrls, deployedGateway, deployedRouter } from "./declared-front.ts";
import type {
  DeployedBucket,
  DeployedFunction,
  DeployedQueue,
  DeployedShape,
  DeployedTable,
} from "./deployed-shape.ts";
import { type Declaration, type Declarations, type LinkDefinition, resolved } from "./fake-sst.ts";

interface FunctionArgs {
  handler: string;
  runtime: string;
  architecture: string;
  timeout: string;
  memory: string;
  storage?: string;
  streaming?: boolean;
  concurrency?: { reserved: number };
  vpc?: unknown;
  nodejs: { splitting?: boolean; install?: string[] };
  logging: { retention: string };
  environment: Record<string, string>;
  permissions?: { actions: string[] }[];
}

function linkOf(resource: object, { declared, links, known }: Declarations): [string, LinkDefinition] {
  const name = String(resolved(resource));
  const { type = "", args = {} } = declared.find((one) => one.name === name) ?? {};
  const { properties = { value: known[`${name}.value`] } } = args as Partial<LinkDefinition>;
  const define = links.get(type) ?? (() => ({ properties }));
  return [name, define(resource)];
}

/** Runs the hook that a function adds to its bundle, and names what it added. */
async function addedFiles({ args }: Declaration): Promise<string[]> {
  const hook = args.hook as { postbuild(folder: string): Promise<void> } | undefined;
  if (hook === undefined) return [];
  const folder = await mkdtemp(join(tmpdir(), "coldforge-added-"));
  await hook.postbuild(folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await rm(folder, { recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function deployedFunction(
  find: Find,
  declaration: Declaration,
  declarations: Declarations,
): DeployedFunction {
  const args = find.args<FunctionArgs>(declaration);
  const links = (declaration.args.link as object[]).map((resource) => linkOf(resource, declarations));
  const granted = [...links.flatMap(([, { include = [] }]) => include), ...(args.permissions ?? [])];
  return {
    name: declaration.name,
    handler: args.handler,
    runtime: args.runtime,
    architecture: args.architecture,
    timeoutSeconds: seconds(args.timeout),
    memoryMb: megabytes(args.memory),
    storageMb: megabytes(args.storage ?? "512 MB"),
    ...(args.concurrency && { reservedConcurrency: args.concurrency.reserved }),
    isStreaming: args.streaming ?? false,
    isInVpc: args.vpc !== undefined,
    logRetentionDays: args.logging.retention === "1 month" ? 30 : 0,
    environment: args.environment,
    links: Object.fromEntries(
      links.map(([name, { properties }]) => [name, resolved(properties) as Record<string, unknown>]),
    ),
    isSplit: args.nodejs.splitting === true,
    installed: args.nodejs.install ?? [],
    addedFiles: () => addedFiles(declaration),
    allowedActions: granted.flatMap(({ actions }) => actions),
  };
}

interface QueueArgs {
  visibilityTimeout?: string;
  dlq?: { queue: string; retry: number };
  transform: { queue: { messageRetentionSeconds: number } };
}

interface SubscriberArgs {
  batch: { size: number; partialResponses: boolean };
  transform: { eventSourceMapping: { scalingConfig: { maximumConcurrency: number } } };
}

function deployedQueue(find: Find, declaration: Declaration): DeployedQueue {
  const { visibilityTimeout = "30 seconds", dlq, transform } = find.args<QueueArgs>(declaration);
  const subscription = declaration.calls.find(({ method }) => method === "subscribe");
  const [consumer, options] = resolved(subscription?.args ?? []) as [unknown, SubscriberArgs?];
  return {
    name: declaration.name,
    visibilitySeconds: seconds(visibilityTimeout),
    retentionSeconds: transform.queue.messageRetentionSeconds,
    ...(dlq && { deadLetters: { queue: nameIn(dlq.queue), maxReceives: dlq.retry } }),
    ...(options && {
      consumer: {
        function: nameIn(consumer),
        batchSize: options.batch.size,
        reportsItemFailures: options.batch.partialResponses,
        maximumConcurrency: options.transform.eventSourceMapping.scalingConfig.maximumConcurrency,
      },
    }),
  };
}

function deployedTable(find: Find): DeployedTable {
  const args = find.args<{
    fields: Record<string, string>;
    primaryIndex: { hashKey: string; rangeKey: string };
    globalIndexes: Record<string, { hashKey: string; rangeKey: string; projection: string }>;
    ttl: string;
    deletionProtection: boolean;
    transform: { table: { pointInTimeRecovery: { enabled: boolean; recoveryPeriodInDays: number } } };
  }>(find.one("sst.aws.Dynamo"));
  return {
    ...args.primaryIndex,
    attributes: Object.fromEntries(
      Object.entries(args.fields).map(([name, type]) => [name, type === "string" ? "S" : type]),
    ),
    indexes: Object.entries(args.globalIndexes).map(([name, { projection, ...keys }]) => ({
      name,
      ...keys,
      projection: projection.toUpperCase().replace("-", "_"),
    })),
    ttlAttribute: args.ttl,
    recoveryDays: recoveryDays(args.transform.table.pointInTimeRecovery),
    hasDeletionProtection: args.deletionProtection,
  };
}

interface DeclaredRule extends LifecycleRule {
  prefix?: string;
  expiresIn?: string;
}

function deployedBucket(find: Find): DeployedBucket {
  const declaration = find.one("sst.aws.Bucket");
  const { access, cors, versioning, lifecycle } = find.args<{
    access?: string;
    cors: { allowOrigins: string[]; allowMethods: string[] };
    versioning?: boolean;
    lifecycle: DeclaredRule[];
  }>(declaration);
  const { bucket, lifecycle: transform } = declaration.args.transform as {
    bucket: { forceDestroy: boolean };
    lifecycle: (args: { rules: DeclaredRule[] }) => void;
  };
  const rules = { rules: lifecycle };
  transform(rules);
  return {
    isPublic: access === "public",
    cors: { origins: cors.allowOrigins, methods: cors.allowMethods },
    isEmptiedOnRemoval: bucket.forceDestroy,
    isVersioned: versioning === true,
    lifecycle: (resolved(rules.rules) as DeclaredRule[]).map(({ prefix, expiresIn, ...rule }) =>
      lifecycleOf({
        ...rule,
        ...(prefix && { filter: { prefix } }),
        ...(expiresIn && { expiration: { days: seconds(expiresIn) / 86_400 } }),
      }),
    ),
  };
}

/**
 * Reads the shape from what `sst.config.ts` hands to SST's components. `secrets` are their values by name, `settings`
 * what the deployer's environment says beside what it says already.
 */
export async function declaredShape(
  stage: string,
  secrets: Record<string, string>,
  settings: Readonly<Record<string, string>> = {},
): Promise<DeployedShape> {
  const values = Object.entries(secrets).map(([name, value]) => [`${name}.value`, value]);
  const known = { ...Object.fromEntries(values), "Router.url": "https://router.example" };
  const declarations = await recordDeclarations(stage, known, settings);
  const find = finder(declarations);
  return {
    functions: find.all("sst.aws.Function").map((one) => deployedFunction(find, one, declarations)),
    queues: find.all("sst.aws.Queue").map((one) => deployedQueue(find, one)),
    table: deployedTable(find),
    bucket: deployedBucket(find),
    gateway: deployedGateway(find),
    functionUrls: deployedFunctionUrls(find),
    router: deployedRouter(find),
    schedules: find
      .all("sst.aws.CronV2")
      .map((one) => find.args<{ schedule: string; function: string }>(one))
      .map(({ schedule, function: target }) => ({ expression: schedule, function: target })),
    alarms: find
      .all("aws.cloudwatch.MetricAlarm")
      .map((one) => find.args<AlarmArgs>(one))
      .map(({ metricName, namespace, dimensions: { QueueName, FunctionName, TableName } = {} }) => ({
        metric: metricName,
        of: nameIn(QueueName ?? FunctionName ?? TableName ?? namespace),
      })),
    faultFilters: find
      .all("aws.cloudwatch.LogMetricFilter")
      .map((one) => find.args<FaultFilterArgs>(one))
      .map(({ logGroupName, pattern, metricTransformation }) => ({
        function: nameIn(logGroupName),
        pattern,
        metric: `${metricTransformation.namespace} ${metricTransformation.name}`,
      })),
    monthlyBudgetUsd: Number(find.args<{ limitAmount: string }>(find.one("aws.budgets.Budget")).limitAmount),
    secrets: find.all("sst.Secret").map(({ name }) => name),
  };
}
