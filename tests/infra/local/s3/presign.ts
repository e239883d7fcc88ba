import type { S3Client } from "@aws-sdk/client-s3";

interface Presignable {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
}

interface Presigner {
  presign(request: Presignable, options: object): Promise<Presignable>;
}

/** What to sign. `signedAt` is the present unless given; `query` and `headers` become part of the signature. */
export interface PresignOptions {
  method: "GET" | "PUT";
  bucket: string;
  key: string;
  expiresSeconds?: number;
  signedAt?: Date;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

/** An address that anyone may use until it expires, signed by the SDK's own signer. */
export async function presign(client: S3Client, options: PresignOptions): Promise<string> {
  const {
    method,
    bucket,
    key,
    expiresSeconds = 60,
    signedAt = new Date(),
    query = {},
    headers = {},
  } = options;
  const endpoint = await endpointOf(client);
  const { port } = endpoint;
  const path = `/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
  const host = port === undefined ? endpoint.hostname : `${endpoint.hostname}:${port}`;
  const region = await client.config.region();
  const scheme = { name: "sigv4", signingName: "s3", signingRegion: region, properties: {} };
  const signer = (await client.config.signer(scheme)) as unknown as Presigner;
  const request = {
    method,
    protocol: endpoint.protocol,
    hostname: endpoint.hostname,
    ...(port !== undefined && { port }),
    path,
    query,
    headers: { host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", ...headers },
  };
  const signed = await signer.presign(request, {
    expiresIn: expiresSeconds,
    signingDate: signedAt,
    unhoistableHeaders: new Set(["content-type"]),
  });
  const parameters = Object.entries(signed.query).map((pair) => pair.map(encodeURIComponent).join("="));
  return `${endpoint.protocol}//${host}${path}?${parameters.join("&")}`;
}

/** As given to the client, or as the SDK reads it from the environment when it sends. */
async function endpointOf(client: S3Client): Promise<{ protocol: string; hostname: string; port?: number }> {
  const given = await client.config.endpoint?.();
  if (given !== undefined) return given;
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const url = AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL;
  if (!url) return { protocol: "https:", hostname: `s3.${await client.config.region()}.amazonaws.com` };
  const { protocol, hostname, port } = new URL(url);
  return { protocol, hostname, ...(port !== "" && { port: Number(port) }) };
}
