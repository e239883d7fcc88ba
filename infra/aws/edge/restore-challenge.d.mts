import type { CloudFrontResponse, CloudFrontResponseEvent } from "aws-lambda";

/** Gives WWW-Authenticate its name back. */
export function handler(event: CloudFrontResponseEvent): Promise<CloudFrontResponse>;
