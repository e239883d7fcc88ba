import { describe, expect, it } from "vitest";
import { faultPattern } from "#infra/aws/fault-pattern";
import type { DeployedShape } from "./deployed-shape.ts";

/** What the queues and the alarms promise. */
export function describeQueues(look: () => DeployedShape): void {
  const timeoutOf = (name: string) =>
    look().functions.find((one) => one.name === name)?.timeoutSeconds ?? Number.NaN;
  describe("queues", () => {
    it("each have a consumer, a bound on its concurrency, and partial batch responses", () => {
      const consumed = look().queues.filter(({ consumer }) => consumer !== undefined);
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
      for (const { visibilitySeconds, consumer } of look().queues) {
        if (consumer === undefined) continue;
        const timeoutSeconds = timeoutOf(consumer.function);
        expect(visibilitySeconds).toBeGreaterThanOrEqual(6 * timeoutSeconds);
        expect(visibilitySeconds).toBeLessThanOrEqual(12 * 60 * 60);
      }
    });

    it("hand what can't be handled to dead letters of their own, kept longer, with an alarm", () => {
      for (const { consumer, deadLetters, retentionSeconds, name } of look().queues) {
        if (consumer === undefined) continue;
        expect(deadLetters).toEqual({ queue: `${name}DeadLetters`, maxReceives: 5 });
        const dead = look().queues.find((one) => one.name === deadLetters?.queue);
        expect(dead?.retentionSeconds).toBeGreaterThan(retentionSeconds);
        const metric = "ApproximateNumberOfMessagesVisible";
        expect(look().alarms).toContainEqual({ metric, of: deadLetters?.queue });
      }
    });

    it("ring when messages wait", () => {
      const waiting = look().alarms.filter(({ metric }) => metric === "ApproximateAgeOfOldestMessage");
      const consumed = look().queues.filter(({ consumer }) => consumer !== undefined);
      expect(waiting.map(({ of }) => of).sort()).toEqual(consumed.map(({ name }) => name).sort());
    });
  });

  describe("alarms", () => {
    it("are ten, which cost nothing", () => {
      expect(look().alarms).toHaveLength(10);
    });

    it("ring when a function has a fault, the tick stands still or DynamoDB throttles", () => {
      const expected = [
        { metric: "Faults", of: "coldforge/test" },
        { metric: "Invocations", of: "TickWorker" },
        { metric: "ReadThrottleEvents", of: "Table" },
        { metric: "WriteThrottleEvents", of: "Table" },
      ];
      expect(look().alarms.filter(({ metric }) => !metric.startsWith("Approximate"))).toHaveLength(4);
      expect(look().alarms).toEqual(expect.arrayContaining(expected));
    });

    it("hear of the faults of every function", () => {
      const expected = look().functions.map(({ name }) => ({
        function: name,
        pattern: faultPattern,
        metric: "coldforge/test Faults",
      }));
      const byFunction = (one: { function: string }, other: { function: string }) =>
        one.function.localeCompare(other.function);
      expect([...look().faultFilters].sort(byFunction)).toEqual(expected.sort(byFunction));
    });
  });
}
