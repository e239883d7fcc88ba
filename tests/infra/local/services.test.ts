import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createLog } from "#core/log";
import { listenOnLoopback } from "#infra/local/loopback-server";
import { startServices } from "#infra/local/services";

const quiet = createLog(() => undefined);

async function madeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-services-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it("passes a session token to the services that the environment names, and says where they are", async () => {
  const tokens: unknown[] = [];
  const s3 = await listenOnLoopback((request, response) => {
    tokens.push(request.headers["x-amz-security-token"]);
    response.writeHead(200).end();
  });
  onTestFinished(() => s3.stop());
  const given = {
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    AWS_ACCESS_KEY_ID: "temporary",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "token-of-the-session",
  };
  const services = await startServices(given, await madeFolder(), quiet);
  onTestFinished(() => services.stop());
  expect(tokens).toEqual(["token-of-the-session"]);
  expect(services.environment).toMatchObject(given);
});

it("refuses a folder without the bucket that it was used with, and starts with it again", async () => {
  const s3 = await listenOnLoopback((_, response) => void response.writeHead(200).end());
  onTestFinished(() => s3.stop());
  const folder = await madeFolder();
  const given = { AWS_ENDPOINT_URL_S3: s3.endpoint, BUCKET_NAME: "forge" };
  await (await startServices(given, folder, quiet)).stop();
  await expect(startServices({}, folder, quiet)).rejects.toThrow(
    `set AWS_ENDPOINT_URL_S3=${s3.endpoint} and BUCKET_NAME=forge`,
  );
  await (await startServices(given, folder, quiet)).stop();
});
