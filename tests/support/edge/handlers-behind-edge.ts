import { S3Client } from "@aws-sdk/client-s3";
import { handle, streamHandle } from "hono/aws-lambda";
import type { Blobs } from "#core/blobs";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";
import { createApi } from "#functions/api/app";
import { besideGit } from "#functions/files/beside-git";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { behindOrigin } from "#functions/http/origin";
import { presign } from "#tests/infra/local/s3/presign";
import { makeForge } from "../forge.ts";
import { startEdge } from "./edge.ts";
import { installLambdaStreaming } from "./response-stream.ts";

type Handler = (...of: never[]) => unknown;

export interface HandlersBehindEdge {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The Lambda handlers of a forge behind the edge, whose address is theirs. With `isReachable` clients reach S3 as well:
 * the stand-in takes what `Blobs` signs for S3, under its own address.
 */
export async function startHandlersBehindEdge(
  plain: Forge,
  { isReachable }: { readonly isReachable: boolean },
): Promise<HandlersBehindEdge> {
  installLambdaStreaming();
  const beside = await makeForge(); // all forges of a process share one bucket
  const { s3Endpoint: endpoint, region, credentials, bucket } = beside.standIns;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const uploadUrl: Blobs["uploadUrl"] = (key, sizeBytes, expiresSeconds, { again = false } = {}) => {
    const headers = { "content-length": String(sizeBytes), ...(!again && { "if-none-match": "*" }) };
    return presign(client, { method: "PUT", bucket, key, expiresSeconds, headers });
  };
  const handlers = lazy(async () => {
    const config = { ...plain.config, rootUrl: edge.url };
    const forge: Forge = {
      ...{ ...plain, config },
      ...(isReachable && { blobs: { ...plain.blobs, uploadUrl } }),
    };
    const git = besideGit(createGitApp({ forge, resolve: createGitResolver(forge) }), forge);
    return {
      api: handle(behindOrigin(createApi({ forge }), config)) as Handler,
      git: streamHandle(behindOrigin(git, config)) as Handler,
    };
  });
  const edge = await startEdge({
    api: async (...of: never[]) => (await handlers()).api(...of),
    git: async (...of: never[]) => (await handlers()).git(...of),
  });
  return {
    url: edge.url,
    async stop() {
      await edge.stop();
      client.destroy();
      await beside.stop();
    },
  };
}
