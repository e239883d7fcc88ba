/** What the front takes and gives, and for how long it waits. AWS's values by default; tests make them small. */
export interface Manners {
  /** HTTP API: largest request body. */
  gatewayBodyBytes: number;
  /** Lambda: largest event, and largest buffered answer, both as JSON. */
  lambdaPayloadBytes: number;
  /** Lambda: largest streamed answer. */
  streamedBytes: number;
  /** The API function's timeout. */
  apiTimeoutMs: number;
  /** The git function's timeout. */
  gitTimeoutMs: number;
  /** How long CloudFront waits for the API's gateway: as infra/aws/api.ts asks. */
  apiIdleTimeoutMs: number;
  /** How long CloudFront waits for git's next byte: its default, though infra/aws/git.ts asks for more. */
  gitIdleTimeoutMs: number;
  /** Whether the Lambda@Edge trigger puts WWW-Authenticate back. Off shows why it is needed. */
  restoresChallenge: boolean;
}

export const awsManners: Manners = {
  gatewayBodyBytes: 10 * 1024 * 1024,
  lambdaPayloadBytes: 6 * 1024 * 1024,
  streamedBytes: 200 * 1024 * 1024,
  apiTimeoutMs: 29_000,
  gitTimeoutMs: 15 * 60_000,
  apiIdleTimeoutMs: 30_000,
  gitIdleTimeoutMs: 20_000,
  restoresChallenge: true,
};
