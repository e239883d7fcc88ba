import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";

const ignore = () => undefined;

/**
 * The options of the table's and the queues' clients. The SDK builds its middleware once for each operation instead of
 * once for each request, and a logger without `info` formats no line that nobody reads. Together they are half of the
 * cost of a small request.
 */
export const clientOptions = {
  cacheMiddleware: true,
  logger: { trace: ignore, debug: ignore, warn: ignore, error: ignore } as Console,
};

/** Sends a request once, without the SDK's state for another try. */
const once: DynamoDBClientConfig["retryStrategy"] = { retry: (next, args) => next(args) };

/** The options of the store's client: the store retries by itself. */
export const tableClientOptions = { ...clientOptions, maxAttempts: 1, retryStrategy: once };
