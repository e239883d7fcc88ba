/** What `sst.config.ts` declares, in AWS's own units, whichever recorder looked at it. */
export interface DeployedShape {
  functions: DeployedFunction[];
  queues: DeployedQueue[];
  table: DeployedTable;
  bucket: DeployedBucket;
  /** Routes of the HTTP API, and what answers each. */
  gateway: { routes: { key: string; function: string }[]; hasCors: boolean; requestsPerSecond: number };
  functionUrls: DeployedFunctionUrl[];
  router: DeployedRouter;
  schedules: { expression: string; function: string }[];
  /** What is watched, and of which queue or function. */
  alarms: { metric: string; of: string }[];
  monthlyBudgetUsd: number;
  /** Names of the secrets that an operator has to set. */
  secrets: string[];
}

export interface DeployedFunction {
  name: string;
  /** Path of the file without its ending, a dot, the exported name. */
  handler: string;
  runtime: string;
  architecture: string;
  timeoutSeconds: number;
  memoryMb: number;
  storageMb: number;
  isStreaming: boolean;
  isInVpc: boolean;
  logRetentionDays: number;
  environment: Record<string, string>;
  /** Name of each linked resource, with the properties that the function reads of it. */
  links: Record<string, Record<string, unknown>>;
  /** Whether what it imports where it is used becomes files of their own. */
  isSplit: boolean;
  /** Packages that are installed beside its bundle. */
  installed: string[];
  /** Files that are added to its bundle, beside the handler's module. */
  addedFiles: string[];
  /** Every action that its role allows. */
  allowedActions: string[];
}

export interface DeployedQueue {
  name: string;
  visibilitySeconds: number;
  retentionSeconds: number;
  deadLetters?: { queue: string; maxReceives: number };
  consumer?: {
    function: string;
    batchSize: number;
    reportsItemFailures: boolean;
    maximumConcurrency: number;
  };
}

export interface DeployedTable {
  hashKey: string;
  rangeKey: string;
  attributes: Record<string, string>;
  indexes: { name: string; hashKey: string; rangeKey: string; projection: string }[];
  ttlAttribute: string;
  hasPointInTimeRecovery: boolean;
  hasDeletionProtection: boolean;
}

export interface DeployedBucket {
  isPublic: boolean;
  /** What pages of these sites may do with a signed address. */
  cors: { origins: string[]; methods: string[] };
  isEmptiedOnRemoval: boolean;
  lifecycle: { prefix?: string; expiresAfterDays?: number; abortsUploadsAfterDays?: number }[];
}

export interface DeployedFunctionUrl {
  function: string;
  authorization: string;
  hasCors: boolean;
}

export interface DeployedRouter {
  /** Longest path first wins; `origin` is the function or the gateway behind it. */
  routes: { path: string; origin: string; readTimeoutSeconds: number }[];
  cachePolicyId: string;
  /** Error codes that CloudFront is told not to keep. */
  uncachedErrors: number[];
  /** Source of the viewer-request function's own part. */
  viewerRequestCode: string;
  originResponseFunction: string;
}
