import { access } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { settings } from "#core/config";
import { hookKeysOf } from "#core/hook/hook-keys";
import { linkedResources } from "#functions/resources";
import type { DeployedFunction, DeployedShape } from "./deployed-shape.ts";
import { projectFolder } from "./platform.ts";
import { describeQueues } from "./queue-promises.ts";
import { describeStorage } from "./storage-promises.ts";

/** The secrets that every run of the recorders is given; the second holds what a careless quotation breaks on. */
export const testSecrets = {
  SecretKey: Buffer.alloc(32, 5).toString("base64"),
  OriginSecret: 'an origin "secret" of 32 letters\\',
};

/** Bounds that a deployer may set. */
export const boundedSettings = {
  GATEWAY_RATE_LIMIT: "10",
  GATEWAY_BURST_LIMIT: "20",
  GIT_RESERVED_CONCURRENCY: "5",
  WAF_RATE_LIMIT: "3000",
};

/** What both recorders have to show: the deployed shape keeps its promises. */
export function describeDeployedShape(
  title: string,
  record: (stage: string, settings?: Readonly<Record<string, string>>) => Promise<DeployedShape>,
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
        const secretsOf: Readonly<Record<string, string[]>> = {
          Api: ["SecretKey", "OriginSecret"],
          Git: ["SecretKey", "OriginSecret"],
          WebhookWorker: ["HookKey"],
        };
        const everywhere = Object.values(linkedResources)
          .map(({ resource }) => resource)
          .filter((resource) => !["SecretKey", "HookKey", "OriginSecret"].includes(resource));
        for (const one of shape.functions) {
          const expected = [...everywhere, ...(secretsOf[one.name] ?? ["SecretKey"])];
          expect(Object.keys(one.links).sort(), one.name).toEqual(expected.sort());
        }
      });

      it("keep SECRET_KEY from the worker of webhooks, which has a key derived from it", () => {
        const { links, environment } = theFunction("WebhookWorker");
        expect(JSON.stringify({ links, environment })).not.toContain(testSecrets.SecretKey);
        expect(links.HookKey?.value).toBe(hookKeysOf(testSecrets.SecretKey));
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
            expect(action, "what is deleted can be had back").not.toMatch(
              /Version|Lifecycle|Recovery|Backup/,
            );
          }
        }
        expect(theFunction("Api").allowedActions).not.toContain("sqs:ReceiveMessage");
        expect(theFunction("WebhookWorker").allowedActions).toContain("sqs:ReceiveMessage");
      });

      it("are split into what a cold start loads and what is loaded when it is used", () => {
        for (const { name, isSplit } of shape.functions) expect([name, isSplit]).toEqual([name, true]);
      });

      it("bring nothing else; git, the API and the worker of mirrors the script of a thread", async () => {
        const scripts: Readonly<Record<string, string>> = {
          Git: "functions/git/compute-thread.mjs",
          Api: "functions/api/compute-thread.mjs",
          MirrorWorker: "functions/workers/compute-thread.mjs",
        };
        for (const { name, addedFiles } of shape.functions) {
          expect(await addedFiles(), name).toEqual(scripts[name] === undefined ? [] : [scripts[name]]);
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
        // It takes bundles in, as large as pushes.
        expect(theFunction("MirrorWorker")).toMatchObject({ timeoutSeconds: 900, storageMb: 10240 });
      });
    });

    describe("settings", () => {
      it("that links give are settings of core/config.ts, and all that name a resource are given", () => {
        const variables = Object.values(settings).map(({ variable }) => variable);
        expect(variables).toEqual(expect.arrayContaining(Object.keys(linkedResources)));
        const resourceSettings = variables.filter((variable) =>
          /(TABLE_NAME|BUCKET_NAME|QUEUE_URL|SECRET_KEY|HOOK_KEY|ORIGIN_SECRET)$/.test(variable),
        );
        expect(resourceSettings.sort()).toEqual(Object.keys(linkedResources).sort());
      });

      it("need two secrets of the operator", () => {
        expect([...shape.secrets].sort()).toEqual(["OriginSecret", "SecretKey"]);
      });
    });

    describeStorage(() => ({ shape, production }));
    describeQueues(() => shape);

    describe("front", () => {
      it("gives the API one route for everything, throttled, without CORS of its own", () => {
        expect(shape.gateway).toMatchObject({
          routes: [{ key: "$default", function: "Api" }],
          hasCors: false,
        });
        expect(shape.gateway).toMatchObject({ requestsPerSecond: 100, requestsAtOnce: 200 });
      });

      it("streams git from one function URL that asks no signature and sets no CORS", () => {
        expect(shape.functionUrls).toEqual([{ function: "Git", authorization: "none", hasCors: false }]);
      });

      it("routes the API's four prefixes and the pages to the gateway, the registries and all else to git", () => {
        expect(shape.router.routes).toEqual(
          expect.arrayContaining([
            { path: "/api", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/avatars", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/user", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/login/oauth", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/.well-known/openid-configuration", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/.well-known/nodeinfo", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/swagger.v1.json", origin: "Gateway", readTimeoutSeconds: 30 },
            { path: "/api/packages", origin: "Git", readTimeoutSeconds: 60 },
            { path: "/", origin: "Git", readTimeoutSeconds: 60 },
          ]),
        );
        expect(shape.router.routes).toHaveLength(9);
      });

      it("has no firewall, and git no executions of its own, unless they are asked for", () => {
        expect(shape.router.firewall).toEqual([]);
        expect(theFunction("Git").reservedConcurrency).toBeUndefined();
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

    it("takes the throttle, git's concurrency and a firewall's rate from the deployer's settings", async () => {
      const bounded = await record("test", boundedSettings);
      expect(bounded.gateway).toMatchObject({ requestsPerSecond: 10, requestsAtOnce: 20 });
      const reserved = bounded.functions.map((one) => [one.name, one.reservedConcurrency]);
      expect(reserved.filter(([, count]) => count !== undefined)).toEqual([["Git", 5]]);
      expect(bounded.router.firewall).toEqual([
        { name: "RateLimitPerIP", requestsInFiveMinutes: 3000, refusedWith: 429 },
      ]);
    });

    it("runs the tick every minute and rings when the month's money runs out", () => {
      expect(shape.schedules).toEqual([{ expression: "rate(1 minute)", function: "TickWorker" }]);
      expect(shape.monthlyBudgetUsd).toBe(20);
    });
  });
}
