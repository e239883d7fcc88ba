import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import type { RecordedBuild, RecordedResource, Recording } from "./recording.ts";

type Build = Omit<RecordedBuild, "addedFiles">;

interface MockedResource {
  type: string;
  name: string;
  inputs: Record<string, unknown>;
}

/** The few members of `@pulumi/pulumi` that a mocked run needs; the real module comes with SST's platform. */
export interface PulumiRuntime {
  runtime: {
    setMocks(
      mocks: {
        call(args: { token: string; inputs: Record<string, unknown> }): Record<string, unknown>;
        newResource(args: MockedResource): { id: string; state: Record<string, unknown> };
      },
      project: string,
      stack: string,
    ): Promise<void>;
    runInPulumiStack(program: () => Promise<unknown>): Promise<unknown>;
    disconnect(): Promise<void>;
  };
}

const account = "123456789012";
const region = "eu-west-1";
const services: Record<string, string> = { "aws:sqs/queue:Queue": "sqs", "aws:sns/topic:Topic": "sns" };

/** What AWS would answer: names that can be told apart, so that references between resources can be followed. */
function stateOf({ type, name, inputs }: MockedResource): Record<string, unknown> {
  const arn = `arn:aws:${services[type] ?? "resource"}:${region}:${account}:${name}`;
  const functionArn = `arn:aws:lambda:${region}:${account}:function:${name}`;
  const known: Record<string, Record<string, unknown>> = {
    "aws:lambda/function:Function": {
      arn: functionArn,
      qualifiedArn: `${functionArn}:1`,
      invokeArn: functionArn,
      name,
    },
    "aws:lambda/functionUrl:FunctionUrl": { functionUrl: `https://${name}.lambda-url.example/` },
    "aws:apigatewayv2/api:Api": { apiEndpoint: `https://${name}.gateway.example`, executionArn: arn },
    "aws:sqs/queue:Queue": { url: `https://sqs.example/${name}`, name },
    "aws:s3/bucket:Bucket": { bucket: name },
    "aws:dynamodb/table:Table": { name },
    "aws:cloudfront/distribution:Distribution": { domainName: `${name}.cdn.example`, etag: "1" },
    "random:index/randomBytes:RandomBytes": { base64: Buffer.alloc(32).toString("base64") },
    "pulumi-nodejs:dynamic:Resource": { isDone: true },
  };
  return { arn, ...inputs, ...known[type] };
}

/** SST asks its command line tool for these over HTTP; whatever else it asks fails the run by name. */
function answer(method: string, builds: Build[], folder: string, argument: unknown): unknown {
  if (method === "Provider.Aws.Bootstrap") return { asset: "assets", state: "state" };
  if (method !== "Runtime.Build") throw new Error(`no answer for ${method}`);
  const build = argument as Build;
  builds.push(build);
  const out = join(folder, build.functionID);
  mkdirSync(out);
  return { handler: build.handler, out, errors: [], sourcemaps: [] };
}

/** Paths of all files, from the folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function startToolServer(builds: Build[], folder: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { method, params } = JSON.parse(await text(request)) as { method: string; params: unknown[] };
    try {
      response.end(JSON.stringify({ result: answer(method, builds, folder, params[0]) }));
    } catch (error) {
      response.end(JSON.stringify({ error: (error as Error).message }));
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/**
 * Runs SST's real components under Pulumi mocks and writes the Recording as JSON to `outputFile`. The first unhandled
 * rejection ends the process: a component that failed leaves the run waiting for ever otherwise.
 */
export async function recordStack(
  pulumi: PulumiRuntime,
  program: () => Promise<unknown>,
  outputFile: string,
): Promise<void> {
  process.on("unhandledRejection", (reason) => {
    console.error(reason);
    process.exit(1);
  });
  const resources: RecordedResource[] = [];
  const builds: Build[] = [];
  const folder = await mkdtemp(join(tmpdir(), "coldforge-synth-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true })); // a refused stack ends above
  const server = await startToolServer(builds, folder);
  process.env.SST_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await pulumi.runtime.setMocks(
    {
      call: ({ token, inputs }) => callAnswers[token]?.(inputs) ?? {},
      newResource(resource) {
        resources.push({ type: resource.type, name: resource.name, inputs: resource.inputs });
        return { id: `${resource.name}-id`, state: stateOf(resource) };
      },
    },
    "coldforge",
    "test",
  );
  await pulumi.runtime.runInPulumiStack(program);
  await pulumi.runtime.disconnect();
  server.close();
  const recording: Recording = {
    resources,
    builds: builds.map((build) => ({ ...build, addedFiles: filesIn(join(folder, build.functionID)) })),
  };
  await writeFile(outputFile, JSON.stringify(recording));
  process.exit(0);
}

const callAnswers: Record<string, (inputs: Record<string, unknown>) => Record<string, unknown>> = {
  "aws:index/getPartition:getPartition": () => ({ partition: "aws" }),
  "aws:index/getRegion:getRegion": () => ({ region, name: region }),
  "aws:index/getCallerIdentity:getCallerIdentity": () => ({ accountId: account }),
  "aws:iam/getPolicyDocument:getPolicyDocument": ({ statements }) => ({
    statements,
    json: JSON.stringify({ Statement: statements }),
  }),
};
