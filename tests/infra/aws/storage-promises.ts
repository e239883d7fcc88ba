import { describe, expect, it } from "vitest";
import { archivePrefix } from "#core/code/internal/kept-archives";
import { payloadPrefix } from "#core/hook/delivery";
import { pageOrigins } from "#infra/aws/page-origins";
import type { DeployedShape } from "./deployed-shape.ts";

/** What the table and the bucket promise, on a test stage and in production. */
export function describeStorage(look: () => { shape: DeployedShape; production: DeployedShape }): void {
  describe("table", () => {
    it("has the keys of docs/data and one index, whose keys are declared attributes", () => {
      const { table } = look().shape;
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

    it("can be restored to any moment of 35 days, and in production can't be deleted by accident", () => {
      expect(look().shape.table.recoveryDays).toBe(35);
      expect(look().shape.table.hasDeletionProtection).toBe(false);
      expect(look().production.table.hasDeletionProtection).toBe(true);
    });
  });

  describe("bucket", () => {
    it("is private; pages of the service alone may use signed addresses, unless CORS is switched on", () => {
      expect(look().shape.bucket.isPublic).toBe(false);
      expect(look().shape.bucket.cors).toEqual({
        origins: [look().shape.functions[0]?.environment.ROOT_URL],
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

    it("keeps what is removed as long as the table can be restored, what can be made again and uploads a day", () => {
      expect(look().shape.bucket.isVersioned).toBe(true);
      expect(look().shape.bucket.lifecycle).toEqual([
        { prefix: "q/", expiresAfterDays: 7, formerVersionsGoAfterDays: 1 },
        { prefix: payloadPrefix, expiresAfterDays: 8, formerVersionsGoAfterDays: 1 },
        { prefix: archivePrefix, expiresAfterDays: 1, formerVersionsGoAfterDays: 1 },
        { removesLoneDeleteMarkers: true, formerVersionsGoAfterDays: 36, abortsUploadsAfterDays: 1 },
      ]);
      for (const { prefix, formerVersionsGoAfterDays } of look().shape.bucket.lifecycle) {
        if (prefix === undefined)
          expect(formerVersionsGoAfterDays).toBeGreaterThan(look().shape.table.recoveryDays);
      }
    });

    it("is emptied with a test stage but never with production", () => {
      expect(look().shape.bucket.isEmptiedOnRemoval).toBe(true);
      expect(look().production.bucket.isEmptiedOnRemoval).toBe(false);
    });
  });
}
