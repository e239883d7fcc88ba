import { access } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { archivePrefix } from "#core/code/code";
import { settings } from "#core/config";
import { payloadPrefix } from "#core/hook/delivery";
import { linkedResources } from "#functions/resources";
import { pageOrigins } from "#infra/aws/page-origins";
import type { DeployedFunction, DeployedShape } from "./deployed-shape.ts";
import { projectFolder } from "./platform.ts";

/** The secrets that every run of the recorders is given; the second holds what a careless quotation breaks on. */
export const testSecrets = {
  SecretKey: Buffer.alloc(32, 5).toString("base64"),
  OriginSecret: 'an origin "secret" of 32 letters\\',
};

/** What both recorders have to show: the deployed shape keeps its promises. */
export function describeDeployedShape(
  title: string,
  record: (stage: string) => Promise<DeployedShape>,
): void {
  describe(title, () => {
    let shape: DeployedShape;
    let production: DeployedShape;
    beforeAll(async () => {
      [shape, production] = await Promise.all([record("test"), record("production")]);
    }, 300_000);
    const theFunction = (name: string): DeployedFunction => {
      const found = shape.functions.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no function ${name}`);
      return found;
    };

    describe("functions", () => {
      it("are the API, git, three workers and the tick, each in its own file", async () => {
        const handlers = Object.fromEntries(shape.functions.map(({ name, handler }) => [name, handler]));
        expect(handlers).toEqual({
          Api: "functions/api/index.handler",
          Git: "functions/git/index.handler",
          WebhookWorker: "functions/workers/webhooks.handler",
          MirrorWorker: "functions/workers/mirrors.handler",
          RepositoryEventWorker: "functions/workers/repository-events.handler",
          TickWorker: "functions/workers/tick.handler",
        });
        for (const handler of Object.values(handlers)) {
          await access(join(projectFolder, `${handler.replace(/\.handler$/, "")}.ts`));
        }
      });

      it("name their runtime, run on arm64, outside any VPC, and keep their logs for a month", () => {
        for (const one of shape.functions) {
          expect(one).toMatchObject({
            runtime: "nodejs24.x",
            architecture: "arm64",
            isInVpc: false,
            logRetentionDays: 30,
          });
        }
      });

      it("get links that cover every setting a linked resource gives, and no other link", () => {
        const everywhere = Object.values(linkedResources)
          .map(({ resource }) => resource)
          .filter((resource) => resource !== "OriginSecret");
        for (const one of shape.functions) {
          const isBehindRouter = one.name === "Api" || one.name === "Git";
          const expected = isBehindRouter ? [...everywhere, "OriginSecret"] : everywhere;
          expect(Object.keys(one.links).sort(), one.name).toEqual([...expected].sort());
        }
      });

      it("find in each link the property that functions/resources.ts reads", () => {
        for (const one of shape.functions) {
          for (const { resource, property } of Object.values(linkedResources)) {
            const link = one.links[resource];
            if (link !== undefined) expect(link[property], `${one.name} ${resource}`).toBeTypeOf("string");
          }
        }
        expect(theFunction("Api").links.SecretKey?.value).toBe(testSecrets.SecretKey);
      });

      it("learn the public address from the router", () => {
        for (const one of shape.functions) expect(one.environment.ROOT_URL).toMatch(/^https:\/\//);
      });

      it("may touch data and messages only: no scan, no wildcard, nothing that alters a resource", () => {
        for (const one of shape.functions) {
          for (const action of one.allowedActions) {
            expect(action).not.toMatch(/\*|Scan|DeleteTable|DeleteBucket|DeleteQueue|CreateTable|PutBucket/);
          }
        }
        expect(theFunction("Api").allowedActions).not.toContain("sqs:ReceiveMessage");
        expect(theFunction("WebhookWorker").allowedActions).toContain("sqs:ReceiveMessage");
      });

      it("are split into what a cold start loads and what is loaded when it is used", () => {
        for (const { name, isSplit } of shape.functions) expect([name, isSplit]).toEqual([name, true]);
      });

      it("bring nothing else; git and the API the script of a thread", () => {
        const scripts: Readonly<Record<string, string>> = {
          Git: "functions/git/ingest-worker.mjs",
          Api: "functions/api/render-worker.mjs",
        };
        for (const { name, addedFiles } of shape.functions) {
          expect(addedFiles, name).toEqual(scripts[name] === undefined ? [] : [scripts[name]]);
        }
      });

      it("answer before their front gives up, with memory for hashing passwords and packs", () => {
        expect(theFunction("Api")).toMatchObject({ timeoutSeconds: 29, isStreaming: false });
        expect(theFunction("Api").memoryMb).toBeGreaterThanOrEqual(1024);
        expect(theFunction("Git")).toMatchObject({
          timeoutSeconds: 900,
          storageMb: 10240,
          isStreaming: true,
        });
        expect(theFunction("Git").memoryMb).toBeGreaterThanOrEqual(2048);
      });
    });

    describe("settings", () => {
      it("that links give are settings of core/config.ts, and all that name a resource are given", () => {
        const variables = Object.values(settings).map(({ variable }) => variable);
        expect(variables).toEqual(expect.arrayContaining(Object.keys(linkedResources)));
        const resourceSettings = variables.filter((variable) =>
          /(TABLE_NAME|BUCKET_NAME|QUEUE_URL|SECRET_KEY|ORIGIN_SECRET)$/.test(variable),
        );
        expect(resourceSettings.sort()).toEqual(Object.keys(linkedResources).sort());
      });

      it("need two secrets of the operator", () => {
        expect([...shape.secrets].sort()).toEqual(["OriginSecret", "SecretKey"]);
      });
    });

    describe("table", () => {
      it("has the keys of docs/data.md and one index, whose keys are declared attributes", () => {
        const { table } = shape;
        expect(table).toMatchObject({ hashKey: "pk", rangeKey: "sk", ttlAttribute: "ttl" });
        expect(table.indexes).toEqual([
          { name: "actor", hashKey: "a", rangeKey: "as", projection: "KEYS_ONLY" },
        ]);
        const keys = [
          table.hashKey,
          table.rangeKey,
          ...table.indexes.flatMap((one) => [one.hashKey, one.rangeKey]),
        ];
        expect(Object.keys(table.attributes).sort()).toEqual([...keys].sort());
        expect(new Set(Object.values(table.attributes))).toEqual(new Set(["S"]));
      });

      it("can be restored to any moment, and in production can't be deleted by accident", () => {
        expect(shape.table.hasPointInTimeRecovery).toBe(true);
        expect(shape.table.hasDeletionProtection).toBe(false);
        expect(production.table.hasDeletionProtection).toBe(true);
      });
    });

    describe("bucket", () => {
      it("is private; pages of the service alone may use signed addresses, unless CORS is switched on", () => {
        expect(shape.bucket.isPublic).toBe(false);
        expect(shape.bucket.cors).toEqual({
          origins: [theFunction("Api").environment.ROOT_URL],
          methods: ["GET", "HEAD", "PUT"],
        });
      });

      it("takes the origins of CORS_ALLOW_DOMAIN, with their schemes", () => {
        const origins = (CORS_ENABLED: string, CORS_ALLOW_DOMAIN: string) =>
          pageOrigins({ CORS_ENABLED, CORS_ALLOW_DOMAIN });
        expect(origins("false", "https://app.example.org")).toEqual([]);
        expect(origins("true", "*")).toEqual(["*"]);
        expect(origins("true", "https://*.example.org,example.com")).toEqual([
          "https://*.example.org",
          "https://example.com",
          "http://example.com",
        ]);
      });

      it("lets abandoned uploads, delivered payloads, archives and unfinished parts go, and nothing else", () => {
        expect(shape.bucket.lifecycle).toEqual([
          { prefix: "q/", expiresAfterDays: 7 },
          { prefix: payloadPrefix, expiresAfterDays: 8 },
          { prefix: archivePrefix, expiresAfterDays: 1 },
          { abortsUploadsAfterDays: 1 },
        ]);
      });

      it("is emptied with a test stage but never with production", () => {
        expect(shape.bucket.isEmptiedOnRemoval).toBe(true);
        expect(production.bucket.isEmptiedOnRemoval).toBe(false);
      });
    });

    describe("queues", () => {
      it("each have a consumer, a bound on its concurrency, and partial batch responses", () => {
        const consumed = shape.queues.filter(({ consumer }) => consumer !== undefined);
        expect(Object.fromEntries(consumed.map(({ name, consumer }) => [name, consumer?.function]))).toEqual({
          Webhooks: "WebhookWorker",
          Mirrors: "MirrorWorker",
          RepositoryEvents: "RepositoryEventWorker",
        });
        for (const { consumer } of consumed) {
          expect(consumer?.reportsItemFailures).toBe(true);
          expect(consumer?.maximumConcurrency).toBeGreaterThanOrEqual(2);
        }
        const sum = consumed.reduce((total, { consumer }) => total + (consumer?.maximumConcurrency ?? 0), 0);
        expect(sum, "a new account may have ten concurrent executions").toBeLessThan(10);
      });

      it("hide a message for at least six times its consumer's timeout", () => {
        for (const { visibilitySeconds, consumer } of shape.queues) {
          if (consumer === undefined) continue;
          const { timeoutSeconds } = theFunction(consumer.function);
          expect(visibilitySeconds).toBeGreaterThanOrEqual(6 * timeoutSeconds);
          expect(visibilitySeconds).toBeLessThanOrEqual(12 * 60 * 60);
        }
      });

      it("hand what can't be handled to dead letters of their own, kept longer, with an alarm", () => {
        for (const { consumer, deadLetters, retentionSeconds, name } of shape.queues) {
          if (consumer === undefined) continue;
          expect(deadLetters).toEqual({ queue: `${name}DeadLetters`, maxReceives: 5 });
          const dead = shape.queues.find((one) => one.name === deadLetters?.queue);
          expect(dead?.retentionSeconds).toBeGreaterThan(retentionSeconds);
          const metric = "ApproximateNumberOfMessagesVisible";
          expect(shape.alarms).toContainEqual({ metric, of: deadLetters?.queue });
        }
      });

      it("ring when messages wait, functions fail or the tick stands still: within the ten alarms that cost nothing", () => {
        const others = shape.alarms.filter(({ metric }) => metric !== "ApproximateNumberOfMessagesVisible");
        const expected = [
          { metric: "ApproximateAgeOfOldestMessage", of: "Webhooks" },
          { metric: "ApproximateAgeOfOldestMessage", of: "RepositoryEvents" },
          { metric: "Errors", of: "Api" },
          { metric: "Errors", of: "Git" },
          { metric: "Invocations", of: "TickWorker" },
        ];
        expect(others).toHaveLength(expected.length);
        expect(others).toEqual(expect.arrayContaining(expected));
        expect(shape.alarms.length).toBeLessThanOrEqual(10);
      });
    });

    describe("front", () => {
      it("gives the API one route for everything, throttled, without CORS of its own", () => {
        expect(shape.gateway).toMatchObject({
          routes: [{ key: "$default", function: "Api" }],
          hasCors: false,
        });
        expect(shape.gateway.requestsPerSecond).toBeGreaterThan(0);
      });

      it("streams git from one function URL that asks no signature and sets no CORS", () => {
        expect(shape.functionUrls).toEqual([{ function: "Git", authorization: "none", hasCors: false }]);
      });

      it("routes the API's three prefixes to the gateway and all else to git", () => {
        expect(shape.router.routes).toEqual(
          expect.arrayContaining([
            { path: "/api", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/avatars", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/swagger.v1.json", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/", origin: "Git", readTimeoutSeconds: 60 },
          ]),
        );
        expect(shape.router.routes).toHaveLength(4);
      });

      it("caches nothing, errors included", () => {
        expect(shape.router.cachePolicyId).toBe("4135ea2d-6df8-44a3-9df3-4b5a84be39ad");
        expect(shape.router.uncachedErrors).toEqual([400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]);
      });

      it("passes on the untouched path, the client's address and the origin secret, and restores the challenge", () => {
        for (const header of ["x-coldforge-uri", "x-coldforge-client", "x-coldforge-origin"]) {
          expect(shape.router.viewerRequestCode).toContain(`event.request.headers["${header}"] =`);
        }
        expect(shape.router.viewerRequestCode).toContain(JSON.stringify(testSecrets.OriginSecret));
        expect(shape.router.originResponseFunction).toBe("RestoreChallenge");
      });
    });

    it("runs the tick every minute and rings when the month's money runs out", () => {
      expect(shape.schedules).toEqual([{ expression: "rate(1 minute)", function: "TickWorker" }]);
      expect(shape.monthlyBudgetUsd).toBe(20);
    });
  });
}
