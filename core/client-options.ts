const ignore = () => undefined;

/**
 * How the clients of the table and the queues are made: the SDK puts its middleware together once for each operation
 * rather than for each request, and without `info` in its logger it makes up no line of each call for a log that nobody
 * reads. Together they are half of what a small request costs.
 */
export const clientOptions = {
  cacheMiddleware: true,
  logger: { trace: ignore, debug: ignore, warn: ignore, error: ignore } as Console,
};
