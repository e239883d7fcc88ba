import { describe, expect, it } from "vitest";
import { FairShare, type Share, type ShareBounds } from "#core/capacity/fair-share";

const never = 1e9;
const shares = (bounds: Partial<ShareBounds> = {}) =>
  new FairShare({ most: 9, mostPerCaller: 3, patienceMs: never, slowMs: never, leastBytes: 10, ...bounds });

async function taken(from: FairShare, caller: string, amount: number): Promise<Share> {
  const share = await from.take(caller, amount);
  if (typeof share === "string") throw new Error(`no share: ${share}`);
  return share;
}

describe("FairShare", () => {
  it("gives one caller no more than a share, others what is left, and tells which of the two ran out", async () => {
    const memory = shares({ patienceMs: 1 });
    const first = await taken(memory, "hostile", 2);
    expect(await memory.take("hostile", 2)).toBe("own");
    await taken(memory, "b", 3);
    await taken(memory, "c", 3);
    expect(await memory.take("d", 3)).toBe("others");
    expect([memory.held, memory.peak]).toEqual([8, 8]);
    first.release();
    first.release();
    expect(memory.held).toBe(6);
    await taken(memory, "d", 3);
  });

  it("lets in who holds nothing however much they ask for, within what there is", async () => {
    const memory = shares();
    const whole = await taken(memory, "a", 1000);
    expect([whole.amount, memory.held]).toEqual([9, 9]);
  });

  it("lets the one in first that would hold least then", async () => {
    const memory = shares({ most: 3 });
    const all = await taken(memory, "a", 3);
    const order: string[] = [];
    const wait = (caller: string, amount: number) =>
      taken(memory, caller, amount).then((share) => {
        order.push(`${caller} ${amount}`);
        return share;
      });
    const waiting = [wait("b", 3), wait("c", 1), wait("b", 1)];
    all.add(-2);
    const [, , second] = [await waiting[1], all.release(), await waiting[2]];
    second?.release();
    (await waiting[1])?.release();
    await waiting[0];
    expect(order).toEqual(["c 1", "b 1", "b 3"]);
  });

  it("makes the slowest give way to a waiting caller, once, and nobody who goes on or can't", async () => {
    const memory = shares({ most: 3, slowMs: 0 });
    const told: string[] = [];
    const [slow, slower, busy] = [
      await taken(memory, "a", 1),
      await taken(memory, "b", 1),
      await taken(memory, "c", 1),
    ];
    slow.onNeeded(() => told.push("slow"));
    slower.onNeeded(() => told.push("slower"));
    slower.slowSince = slow.slowSince - 1;
    busy.slowSince = 0;
    const waiting = memory.take("d", 1);
    expect(memory.tryTake("e", 1)).toBe("others");
    expect(told).toEqual(["slower"]);
    slower.release();
    expect(await waiting).toMatchObject({ caller: "d" });
  });

  it("counts what grows, and refuses growth past the bounds", async () => {
    const memory = shares();
    const share = await taken(memory, "a", 1);
    expect([share.grow(2), share.grow(1), memory.held]).toEqual([undefined, "own", 3]);
    const signal = AbortSignal.abort(new Error("left"));
    await expect(memory.take("a", 1, () => signal)).rejects.toThrow("left");
    expect(memory.held).toBe(3);
  });
});
