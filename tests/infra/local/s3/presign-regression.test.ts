import { S3Client } from "@aws-sdk/client-s3";
import { afterEach, expect, it, vi } from "vitest";
import { presign } from "./presign.ts";

afterEach(() => vi.unstubAllEnvs());

it("presign signs for the endpoint that the environment names, as the client sends to it", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_S3", "http://10.0.0.5:9000");
  const client = new S3Client({
    region: "us-east-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
  });
  const address = await presign(client, { method: "GET", bucket: "forge", key: "a" });
  expect(address).toMatch(/^http:\/\/10\.0\.0\.5:9000\/forge\/a\?/);
  client.destroy();
});
