/** Headers that the router's viewer-request function sets. They count only together with the right origin secret. */
export const edgeHeaders = {
  /** The path as the client sent it, neither decoded nor cut; without the query. */
  uri: "x-coldforge-uri",
  /** The address that the client connected from. */
  client: "x-coldforge-client",
  /** The origin secret itself. */
  originSecret: "x-coldforge-origin",
} as const;
