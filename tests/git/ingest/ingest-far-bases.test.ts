import { describe, expect, it } from "vitest";
import { blobId, type DeltaStep, delta, type RawEntry, rawPack } from "../pack/raw-pack.ts";
import { take, taken } from "./taken.ts";

/** A pack in the making: every object with its content beside its entry. */
class Draft {
  readonly entries: RawEntry[] = [];
  readonly contents: Buffer[] = [];

  whole(data: Buffer): number {
    this.entries.push({ data });
    return this.contents.push(data) - 1;
  }

  /** An object that is another one and a line. */
  longer(base: number, line = `more on ${base}, as ${this.entries.length}\n`): number {
    const old = this.contents[base] as Buffer;
    const data = Buffer.concat([old, Buffer.from(line)]);
    const steps: DeltaStep[] = [{ from: 0, size: old.length }, Buffer.from(line)];
    this.entries.push({ data: delta(old.length, data.length, steps), ofs: base });
    return this.contents.push(data) - 1;
  }

  chain(base: number, length: number): number {
    let last = base;
    for (let link = 0; link < length; link++) last = this.longer(last);
    return last;
  }

  /** So much between what came and what follows that the first pass has forgotten the one at the other. */
  gap(): void {
    for (let filler = 0; filler < 1200; filler++) {
      this.whole(Buffer.from(`filler ${this.entries.length}\n`.repeat(400)));
    }
  }
}

const text = (name: string, lines: number): Buffer => Buffer.from(`a line of ${name}\n`.repeat(lines));

async function expectAll({ entries, contents }: Draft): Promise<void> {
  const result = await taken("sha1", rawPack("sha1", entries));
  expect(result.objectCount).toBe(entries.length);
  const ids = contents.map((content) => blobId("sha1", content).toString("hex"));
  expect(ids.filter((id) => !result.has(id))).toEqual([]);
  const last = await result.read(ids.at(-1) as string);
  expect(last?.data.equals(contents.at(-1) as Buffer)).toBe(true);
}

describe("ingestPack of deltas whose base lies far back", () => {
  it("makes the base again, with what it rests on itself", async () => {
    const draft = new Draft();
    const whole = draft.whole(text("a whole object", 40));
    const third = draft.chain(draft.whole(text("a chain", 40)), 3);
    draft.gap();
    draft.chain(whole, 2);
    draft.chain(third, 2);
    await expectAll(draft);
  });

  it("leaves what rests on a long chain or a large object to its second pass, and all that rests on that", async () => {
    const draft = new Draft();
    const end = draft.chain(draft.whole(text("a long chain", 40)), 60);
    const large = draft.whole(text("a large object", 60_000));
    draft.gap();
    const open = [draft.longer(end), draft.longer(large)];
    draft.gap();
    for (const base of open) draft.chain(base, 2);
    draft.longer(end);
    await expectAll(draft);
  });

  it("refuses a delta that does not fit the base which was made again", async () => {
    const draft = new Draft();
    const base = draft.whole(text("a whole object", 40));
    draft.gap();
    draft.entries.push({ data: delta(17, 17, [{ from: 0, size: 17 }]), ofs: base });
    const result = await take("sha1", rawPack("sha1", draft.entries));
    expect(result).toMatchObject({ ok: false, reason: { kind: "bad-delta" } });
  });

  it("refuses a chain deeper than allowed, near and far", async () => {
    const draft = new Draft();
    const end = draft.chain(draft.whole(text("a chain", 40)), 5);
    draft.gap();
    draft.longer(end);
    const pack = rawPack("sha1", draft.entries);
    expect((await take("sha1", pack, { limits: { deltaDepth: 6 } })).ok).toBe(true);
    for (const deltaDepth of [3, 5]) {
      const result = await take("sha1", pack, { limits: { deltaDepth } });
      expect(result).toMatchObject({ ok: false, reason: { kind: "delta-too-deep" } });
    }
  });
});
