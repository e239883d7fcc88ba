import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { ensurePlatform, projectFolder, recordRealStack, run } from "./platform.ts";
import type { Recording } from "./recording.ts";
import { boundedSettings, describeDeployedShape, testSecrets } from "./shape-promises.ts";
import { synthesizedShape } from "./synthesized-shape.ts";

const secrets = {
  SST_SECRET_SecretKey: testSecrets.SecretKey,
  SST_SECRET_OriginSecret: testSecrets.OriginSecret,
};

let versions: { sst: string; aws: string };
beforeAll(async () => {
  versions = await ensurePlatform();
}, 300_000);

let withSettings: Promise<Recording> | undefined;

/** The stack of a deployer who sets more than its secrets: recorded once, since each recording is seconds of CPU. */
function recordWithSettings(): Promise<Recording> {
  const given = { ...boundedSettings, ALARM_EMAIL: "owner@example.org", LOG_LEVEL: "debug" };
  withSettings ??= recordRealStack("test", { ...secrets, ...given });
  return withSettings;
}

describeDeployedShape("sst.config.ts with SST's own components", async (stage, settings) =>
  synthesizedShape(await (settings ? recordWithSettings() : recordRealStack(stage, secrets))),
);

describe("sst.config.ts", () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await recordWithSettings();
  }, 300_000);
  const inputsOf = (type: string) =>
    recording.resources.filter((one) => one.type === type).map(({ inputs }) => inputs);

  it("pins SST and the AWS provider to the versions that these tests ran with", async () => {
    const source = await readFile(join(projectFolder, "sst.config.ts"), "utf8");
    expect(source).toContain(`version: "${versions.sst}"`);
    expect(source).toContain(`providers: { aws: "${versions.aws}" }`);
  });

  it("type-checks against SST's types", async () => {
    await run(join(projectFolder, "node_modules", ".bin", "tsc"), ["--noEmit", "-p", "infra/aws"]);
  });

  it("allows both actions that a public function URL needs since October 2025", () => {
    const actions = inputsOf("aws:lambda/permission:Permission")
      .filter(({ principal }) => principal === "*")
      .map(({ action }) => action);
    expect(actions.sort()).toEqual(["lambda:InvokeFunction", "lambda:InvokeFunctionUrl"]);
  });

  it("lets no role remove a version of an object, nor change how long versions are kept", () => {
    const roles = JSON.stringify(recording.resources.filter(({ type }) => type === "aws:iam/role:Role"));
    const actions = [...new Set(roles.match(/s3:[\w*]+/g))].sort();
    const allowed = ["AbortMultipartUpload", "DeleteObject", "GetObject", "ListBucket", "PutObject"];
    expect(actions).toEqual(allowed.map((action) => `s3:${action}`));
    expect(roles).not.toContain('\\"*\\"');
    const policies = [...new Set(roles.match(/arn:aws:iam::aws:policy[\w/-]+/g))];
    expect(policies).toEqual(["arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"]);
  });

  it("declares no VPC, no NAT and no standing machine", () => {
    const types = recording.resources.map(({ type }) => type);
    expect(types.filter((type) => /ec2|vpc|ecs|rds|elasti/i.test(type))).toEqual([]);
  });

  it("hands the deployer's settings to every function", () => {
    const functions = inputsOf("aws:lambda/function:Function").filter(({ environment }) => environment);
    expect(functions).toHaveLength(6);
    for (const { environment } of functions) {
      expect(environment).toMatchObject({ variables: { LOG_LEVEL: "debug" } });
    }
  });

  it("subscribes the owner's address to the alarms", () => {
    expect(inputsOf("aws:sns/topicSubscription:TopicSubscription")).toMatchObject([
      { protocol: "email", endpoint: "owner@example.org" },
    ]);
  });

  it("refuses to deploy without a secret, naming it", async () => {
    await expect(recordRealStack("test", { SST_SECRET_SecretKey: testSecrets.SecretKey })).rejects.toThrow(
      /OriginSecret/,
    );
  });

  it("refuses to deploy with an origin secret that could be guessed", async () => {
    await expect(recordRealStack("test", { ...secrets, SST_SECRET_OriginSecret: "short" })).rejects.toThrow(
      /OriginSecret needs at least 32 characters/,
    );
  });

  describe("the router's viewer-request function", () => {
    /** Runs the whole deployed function, SST's routing included, over the recorded routes. */
    async function request(uri: string, headers: Record<string, { value: string }> = {}) {
      const [viewerRequest] = inputsOf("aws:cloudfront/function:Function") as [{ code: unknown }];
      const stored = recording.resources
        .filter(({ type }) => type === "pulumi-nodejs:dynamic:Resource")
        .map(({ inputs }) => inputs as { namespace: string; entry?: string; entries?: { metadata: string } });
      const origins: string[] = [];
      const routes = stored.flatMap(({ entry }) => entry ?? []);
      const kvs = {
        async get(key: string) {
          if (key.endsWith(":routes")) return JSON.stringify(routes);
          const found = stored.find(({ namespace, entries }) => entries && key === `${namespace}:metadata`);
          return found?.entries?.metadata;
        },
      };
      const cf = {
        kvs: () => kvs,
        updateRequestOrigin: ({ domainName }: { domainName: string }) => origins.push(domainName),
      };
      const code = String((viewerRequest.code as { value?: string }).value ?? viewerRequest.code);
      const event = {
        viewer: { ip: "192.0.2.7" },
        request: {
          uri,
          headers: { host: { value: "forge.example" }, ...headers },
          querystring: {},
          cookies: {},
        },
      };
      const source = `${code.replace(/import cf from "cloudfront";/, "")}\nhandler(event)`;
      const answered = (await runInNewContext(source, { cf, event })) as typeof event.request;
      return { headers: answered.headers as Record<string, { value: string }>, origins };
    }

    it("sends the API's paths to the gateway and the others to git", async () => {
      expect((await request("/api/v1/version")).origins).toEqual(["gatewayapi.gateway.example"]);
      expect((await request("/swagger.v1.json")).origins).toEqual(["gatewayapi.gateway.example"]);
      expect((await request("/.well-known/nodeinfo")).origins).toEqual(["gatewayapi.gateway.example"]);
      expect((await request("/apina/kissa.git/info/refs")).origins).toEqual(["giturl.lambda-url.example"]);
      for (const path of ["/-/objects/x", "/-/mail/unsubscribe/x", "/-/mail/confirm/x"]) {
        expect((await request(path)).origins).toEqual(["giturl.lambda-url.example"]);
      }
    });

    it("overwrites forged copies of the edge's headers and keeps the path as it came", async () => {
      const { headers } = await request("/api/v1/repos/a/b/raw/x%2Fy%3F", {
        "x-coldforge-origin": { value: "guessed" },
        "x-coldforge-uri": { value: "/forged" },
      });
      expect(headers["x-coldforge-uri"]).toEqual({ value: "/api/v1/repos/a/b/raw/x%2Fy%3F" });
      expect(headers["x-coldforge-origin"]).toEqual({ value: testSecrets.OriginSecret });
      expect(headers["x-coldforge-client"]).toEqual({ value: "192.0.2.7" });
    });

    it("stays below CloudFront's 10 KB for a function", () => {
      const [{ code }] = inputsOf("aws:cloudfront/function:Function") as [{ code: unknown }];
      const source = String((code as { value?: string }).value ?? code);
      expect(source.length).toBeLessThan(10_240);
    });
  });
});
