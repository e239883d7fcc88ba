import { describe, expect, it } from "vitest";
import { type EndTurn, Receivers } from "#core/hook/internal/receivers";

const hook = 1;
const begin = async (receivers: Receivers, now: number): Promise<EndTurn> => {
  const turn = await receivers.turn(hook, now);
  if (typeof turn === "number") throw new Error(`wait ${turn} ms`);
  return turn;
};
const many = (receivers: Receivers, now: number) =>
  Promise.all(Array.from({ length: 15 }, () => begin(receivers, now)));

describe("turns at a receiver", () => {
  it("are 15 at once; a further one begins as soon as one ends", async () => {
    const receivers = new Receivers(60_000);
    const [first, ...others] = await many(receivers, 0);
    const further = begin(receivers, 0);
    expect(await receivers.turn(2, 0)).toBeTypeOf("function");
    first?.(false, 5);
    await further;
    for (const end of others) end(false, 5);
  });

  it("are put off at once when 15 have been under way for longer than patience, and after it when they just began", async () => {
    const receivers = new Receivers(20);
    await many(receivers, 0);
    expect(await receivers.turn(hook, 20)).toBe(10_000);
    expect(await receivers.turn(hook, 0)).toBe(10_000);
  });

  it("come one at a time, after pauses that double, while no answer comes; any answer ends that", async () => {
    const receivers = new Receivers();
    let now = 0;
    const pauses: number[] = [];
    for (let silences = 0; silences < 6; silences += 1) {
      const end = await begin(receivers, now);
      now += 5_000;
      end(true, now);
      const pause = await receivers.turn(hook, now);
      if (typeof pause !== "number") throw new Error("no pause");
      pauses.push(pause);
      now += pause;
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 160_000]);
    const end = await begin(receivers, now);
    expect(await receivers.turn(hook, now)).toBe(10_000);
    end(false, now);
    await many(receivers, now);
  });

  it("know nothing of other hooks", async () => {
    const receivers = new Receivers();
    (await begin(receivers, 0))(true, 0);
    expect(await receivers.turn(2, 0)).toBeTypeOf("function");
  });
});
