import { describe, expect, it } from "vitest";
import { tick } from "#functions/workers/tick";
import { addComment, openIssue } from "../issue/make.ts";
import { makeRepository } from "../repository/make.ts";
import { sendFile, sendForm } from "./make.ts";
import { useForms, world } from "./upload-form-world.ts";

useForms();

const hour = 3_600_000;

describe("the form of an upload", () => {
  it("201: the query's name comes first, then the form's, then the file's", async () => {
    const fields = { name: "form.txt" };
    expect((await world.upload(world.onIssue(), world.author, { fields })).name).toBe("form.txt");
    expect((await world.upload(`${world.onIssue()}?name=query.txt`, world.author, { fields })).name).toBe(
      "query.txt",
    );
    expect((await world.upload(world.onIssue(), world.author, { name: "größe 😀.md" })).name).toBe(
      "größe 😀.md",
    );
    expect((await world.upload(world.onIssue(), world.author, { name: "C:\\folder\\file.txt" })).name).toBe(
      "file.txt",
    );
  });

  it("422: a name with folders, control characters, or too long", async () => {
    for (const name of ["a/b.txt", "..\\\\b.txt", "a\u0007.txt", "a\u2028.txt", `${"x".repeat(252)}.txt`]) {
      const query = `?name=${encodeURIComponent(name)}`;
      expect([name, (await sendFile(world.api, `${world.onIssue()}${query}`, world.author)).status]).toEqual([
        name,
        422,
      ]);
    }
    expect([await world.get(world.onIssue()), await world.usage()]).toEqual([[], [0, 0]]);
  });

  it("400: no file, no form, a form that is cut off; 415: JSON text and others", async () => {
    const form = new FormData();
    form.set("name", "a.txt");
    expect((await sendForm(world.api, world.onIssue(), world.author, form)).status).toBe(400);
    form.set("other", new File(["x"], "a.txt"));
    expect((await sendForm(world.api, world.onIssue(), world.author, form)).status).toBe(400);
    const send = (type: string, raw: string) =>
      world.api.call("POST", world.onIssue(), { as: world.author, headers: { "content-type": type }, raw });
    expect((await send("multipart/form-data", "x")).status).toBe(400);
    expect((await send("multipart/form-data; boundary=b", "x")).status).toBe(400);
    const cut =
      '--b\r\ncontent-disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\nhalf of a fi';
    expect((await send("multipart/form-data; boundary=b", cut)).status).toBe(400);
    expect((await send("text/plain", "x")).status).toBe(415);
    for (const name of ["attachment", "other"]) {
      const two = new FormData();
      for (const file of ["a.txt", "b.txt"]) two.append("attachment", new File(["x"], file));
      two.append(name, "no file");
      expect((await sendForm(world.api, world.onIssue(), world.author, two)).json.message).toMatch(
        /one at a time/,
      );
    }
    expect([await world.get(world.onIssue()), await world.usage()]).toEqual([[], [0, 0]]);
  });

  it("413: over ATTACHMENT_MAX_SIZE, whatever its length header claims; nothing becomes of it", async () => {
    const bytes = new Uint8Array(2 ** 20);
    await world.upload(world.onIssue(), world.author, { bytes });
    for (const more of [1, 2 ** 20]) {
      const refused = await sendFile(world.api, world.onIssue(), world.author, {
        bytes: new Uint8Array(2 ** 20 + more),
      });
      expect([refused.status, refused.json.message]).toEqual([413, expect.stringMatching(/at most/)]);
    }
    expect(await world.usage()).toEqual([1, 2 ** 20]);
  });

  it("201: an empty file", async () => {
    const { size, browser_download_url: url } = await world.upload(world.onIssue(), world.author, {
      bytes: "",
    });
    const file = await world.ask(url);
    expect([size, file.status, file.text]).toEqual([0, 200, ""]);
  });

  it("422: a kind of file that is not allowed, by its name; its content counts by its first bytes", async () => {
    expect(
      (await sendFile(world.api, world.onIssue(), world.author, { name: "run.exe", type: "image/png" }))
        .status,
    ).toBe(422);
    expect(await world.get(world.onIssue())).toEqual([]);
    await tick(world.api.forge);
    expect(await world.filesLeft()).toBe(1);
    world.api.clock.advance(25 * hour);
    await tick(world.api.forge);
    expect(await world.filesLeft()).toBe(0);
  });

  it("404: no such issue or comment, before the file is read; one of another repository; an entry that is none", async () => {
    const elsewhere = await makeRepository(world.api, world.owner);
    await openIssue(world.api, elsewhere, world.owner);
    const other = await addComment(world.api, elsewhere, 1, world.owner);
    for (const path of [world.onIssue(9), world.onComment(999_999), world.onComment(other.id)]) {
      expect((await sendFile(world.api, path, world.owner)).status).toBe(404);
    }
    await world.api.call("PATCH", `${world.where.path}/issues/1`, {
      as: world.owner,
      body: { title: "renamed" },
    });
    expect((await sendFile(world.api, world.onComment(world.commentId + 1), world.owner)).status).toBe(404);
    expect(await world.filesLeft()).toBe(0);
  });
});
