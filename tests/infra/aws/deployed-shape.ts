/** What `sst.config.ts` declares, in AWS's own units, whichever recorder looked at it. */
export interface DeployedShape {
  functions: DeployedFunction[];
  queues: DeployedQueue[];
  table: DeployedTable;
  bucket: DeployedBucket;
  /** Routes of the HTTP API, and what answers each. */
  gateway: {
    routes: { key: string; function: string }[];
    hasCors: boolean;
    requestsPerSecond: number;
    requestsAtOnce: number;
  };
  functionUrls: DeployedFunctionUrl[];
  router: DeployedRouter;
  schedules: { expression: string; function: string }[];
  /** What is watched, and of which queue, function or table; a metric of the service's own is its name space's. */
  alarms: { metric: string; of: string }[];
  /** Whose logs are searched for faults, by which pattern. */
  faultFilters: { function: string; pattern: string; metric: string }[];
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
  /** Executions that it has for itself and at most. */
  reservedConcurrency?: number;
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
  /** Bundled when asked for: it takes seconds of a processor. */
  addedFiles(): Promise<string[]>;
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
  /** 0 without point-in-time recovery. */
  recoveryDays: number;
  hasDeletionProtection: boolean;
}

export interface DeployedBucket {
  isPublic: boolean;
  /** What pages of these sites may do with a signed address. */
  cors: { origins: string[]; methods: string[] };
  isEmptiedOnRemoval: boolean;
  isVersioned: boolean;
  lifecycle: {
    prefix?: string;
    expiresAfterDays?: number;
    removesLoneDeleteMarkers?: boolean;
    formerVersionsGoAfterDays?: number;
    abortsUploadsAfterDays?: number;
  }[];
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
  /** The rules of AWS WAF in front of it; none without WAF. */
  firewall: { name: string; requestsInFiveMinutes: number; refusedWith: number }[];
  /** Source of the viewer-request function's own part. */
  viewerRequestCode: string;
  originResponseFunction: string;
}
