import { describe, expect, it } from "vitest";
import { computeFor } from "#core/compute/compute";
import { formType, parseForm } from "#functions/http/body/form-body";
import { z } from "#zod";

describe("a form", () => {
  const schema = z.object({ title: z.string(), body: z.string() });
  const parse = async (text: string) => {
    const tasks: (boolean | undefined)[] = [];
    const value = await parseForm(Buffer.from(text), formType, schema, (task, input) => {
      tasks.push(task.isSmall?.(input));
      return computeFor("account:1")(task, input);
    });
    return { value, tasks };
  };

  it("is read on a thread when it is large: its texts take long to decode", async () => {
    const { value, tasks } = await parse(`title=a&body=${"%41".repeat(30_000)}`);
    expect(value).toEqual({ title: "a", body: "A".repeat(30_000) });
    expect(tasks).toEqual([false]);
  });

  it("is read at once when it is small", async () => {
    expect(await parse("title=a&body=b")).toEqual({ value: { title: "a", body: "b" }, tasks: [true] });
  });
});
