import { describe, expect, it } from "vitest";
import { setIssue } from "#tests/support/set-listed";
import { sendFile, sendForm } from "./make.ts";
import { useForms, world } from "./upload-form-world.ts";

useForms();

describe("the form of an upload", () => {
  it("413: a form of more texts, files or parts than are read, or too long a text: none is left out in silence", async () => {
    const updated_at = world.ago(0);
    const formOf = (texts: number, files: number, fields: Readonly<Record<string, string>>) => {
      const form = new FormData();
      form.set("attachment", new File(["hello"], "a.txt"));
      for (let at = 0; at < texts; at += 1) form.set(`text-${at}`, "");
      for (let at = 0; at < files; at += 1) form.set(`file-${at}`, new File([""], "b.txt"));
      for (const [field, value] of Object.entries(fields)) form.set(field, value);
      return sendForm(world.api, world.onIssue(), world.owner, form);
    };
    for (const [texts, files, fields] of [
      [20, 0, { updated_at }],
      [0, 10, { updated_at }],
      [20, 9, { updated_at }],
      [0, 0, { name: "n".repeat(5_000) }],
    ] as const) {
      const { status, json } = await formOf(texts, files, fields);
      expect([status, json.message]).toEqual([413, expect.stringContaining("at most 20 texts")]);
    }
    expect([await world.get(world.onIssue()), await world.usage()]).toEqual([[], [0, 0]]);
    const most = await formOf(19, 9, { updated_at: world.ago(0) });
    expect([most.status, most.json.created_at]).toEqual([201, world.ago(0)]);
  });

  it("422: more than a hundred on one issue", async () => {
    const { id } = await world.upload(world.onIssue(), world.author);
    const attachmentIds = Array.from({ length: 100 }, () => id);
    await setIssue(world.api.forge, world.where.repository.id, 1, { attachmentIds });
    expect((await sendFile(world.api, world.onIssue(), world.author)).status).toBe(422);
  });
});
