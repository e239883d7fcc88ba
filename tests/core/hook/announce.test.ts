import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { announceToHooks, type Notice } from "#core/hook/announce";
import { listDeliveries } from "#core/hook/history";
import { createHook, type HookSettings } from "#core/hook/hook";
import type { Hook, HookParent } from "#core/hook/hook.table";
import { HookSubscriptions, type SubscribableEvent } from "#core/hook/subscriptions";
import { makeForge, type TestForge } from "#tests/support/forge";

let test: TestForge;
let forge: Forge;
const parent: HookParent = { kind: "repository", id: 1 };
beforeAll(async () => {
  test = await makeForge();
  forge = test.forge;
});
afterAll(() => test.stop());

const makeHook = (settings: Partial<HookSettings> = {}): Promise<Hook> =>
  createHook(forge, parent, {
    type: "forgejo",
    url: "https://ci.example/",
    contentType: "json",
    isActive: true,
    ...settings,
  });

const wants = async (hook: Hook, notice: SubscribableEvent) =>
  (await new HookSubscriptions([hook]).subscribed(notice)).length === 1;

describe("HookSubscriptions.wanting", () => {
  const push = { eventType: "push", branch: "main" } as const;

  it("names active hooks that are subscribed to the type", async () => {
    expect(await wants(await makeHook(), push)).toBe(true);
    expect(await wants(await makeHook({ isActive: false }), push)).toBe(false);
    const hook = await makeHook({ events: ["issues"] });
    expect(await wants(hook, push)).toBe(false);
    expect(await wants(hook, { eventType: "issue_comment" })).toBe(true);
    expect(await wants(hook, { eventType: "pull_request_comment" })).toBe(false);
  });

  it("looks at the branch filter only where there is a branch", async () => {
    const hook = await makeHook({ branchFilter: "release/*", events: ["push", "issues"] });
    expect(await wants(hook, push)).toBe(false);
    expect(await wants(hook, { eventType: "push", branch: "release/1" })).toBe(true);
    expect(await wants(hook, { eventType: "push" })).toBe(true);
    expect(await wants(hook, { eventType: "issues" })).toBe(true);
    for (const branchFilter of ["", "*"])
      expect(await wants(await makeHook({ branchFilter }), push)).toBe(true);
  });

  it("tells branches apart, one after another", async () => {
    const subscriptions = new HookSubscriptions([await makeHook({ branchFilter: "a*" })]);
    const counts: number[] = [];
    for (const branch of ["a", "b", "ab", "ba"])
      counts.push((await subscriptions.subscribed({ eventType: "push", branch })).length);
    expect(counts).toEqual([1, 0, 1, 0]);
  });
});

describe("announce", () => {
  it("renders once for all hooks that get the same, records one delivery each, and repeats without harm", async () => {
    let rendered = 0;
    const counted = { toJSON: () => `rendered ${++rendered}` };
    const long = { ref: "refs/heads/x", counted };
    const short = { ref: "x" };
    const notice: Notice = {
      eventType: "create",
      what: "create refs/heads/x",
      branch: "x",
      payloadFor: (type) => (type === "gitea" ? short : long),
    };
    const events = ["create"];
    const told = [
      await makeHook({ events }),
      await makeHook({ events }),
      await makeHook({ events, type: "gitea" }),
    ];
    const silent = await makeHook({ events, isActive: false });
    const origin = { eventId: "event-1", at: forge.clock.now() };

    const messages = await announceToHooks(forge, new HookSubscriptions([...told, silent]), origin, notice);
    expect(messages.map(({ hookId, attempt }) => [hookId, attempt])).toEqual(told.map(({ id }) => [id, 1]));
    expect(rendered).toBe(1);
    expect(await announceToHooks(forge, new HookSubscriptions([...told, silent]), origin, notice)).toEqual(
      messages,
    );
    const payloads = await Promise.all(
      [...told, silent].map(async ({ id }) =>
        (await listDeliveries(forge, id, { limit: 30 })).deliveries.map(({ payload }) => payload),
      ),
    );
    const text = '{\n  "ref": "refs/heads/x",\n  "counted": "rendered 1"\n}';
    expect(payloads).toEqual([[text], [text], ['{\n  "ref": "x"\n}'], []]);
  });
});
