import { describe, expect, it } from "vitest";
import { api, call, elsewhere, owner, useIssues, where } from "./bad-input-world.ts";
import { addComment, openIssue } from "./make.ts";

useIssues();

const idOf = async (path: string, body: object, from = where) =>
  (await call("POST", path, body, from)).json.id;
const texts = [
  "👩‍👩‍👧‍👦🏳️‍🌈 🦁",
  "שלום \u202eabc\u202c مرحبا",
  "bell \u0007, escape \u001b[31m, delete \u007f, line\u2028separator",
  "e\u0301 beside é, Å beside Å",
  "<script>alert(1)</script> {{7*7}} '; DROP TABLE issues; --",
];

describe("bad input of issues", () => {
  it("ids of labels and milestones of another repository are dropped, from edits of a milestone refused", async () => {
    const label = await idOf("/labels", { name: "far", color: "aabbcc" }, elsewhere);
    const milestone = await idOf("/milestones", { title: "far" }, elsewhere);
    const made = await openIssue(api, where, owner, { labels: [label], milestone });
    expect(made).toMatchObject({ labels: [], milestone: null });
    const path = `/issues/${made.number}`;
    expect((await call("POST", `${path}/labels`, { labels: [label] })).json).toEqual([]);
    expect((await call("DELETE", `${path}/labels/${label}`)).status).toBe(422);
    expect((await call("PATCH", path, { title: "kept?", milestone })).status).toBe(422);
    expect((await call("GET", path)).json).toMatchObject({ title: "An issue", milestone: null });
    for (const listed of [`labels=far`, `milestones=${milestone}`, "milestones=far"]) {
      expect((await call("GET", `/issues?state=all&${listed}`)).json, listed).toEqual([]);
    }
  });

  it("emoji, right-to-left marks and control characters come back as they were sent, and are found", async () => {
    for (const text of texts) {
      const { number, title, body } = await openIssue(api, where, owner, {
        title: text,
        body: `${text}\r\n\t`,
      });
      expect([title, body]).toEqual([text, `${text}\r\n\t`]);
      const comment = await addComment(api, where, number, owner, text);
      expect((await call("GET", `/issues/comments/${comment.id}`)).json.body).toBe(text);
      const label = await call("POST", "/labels", { name: text, color: "#abc" });
      expect([label.status, label.json.name]).toEqual([201, text]);
      const milestone = await call("POST", "/milestones", { title: text });
      expect([milestone.status, milestone.json.title]).toEqual([201, text]);
      const found = await call("GET", `/issues?q=${encodeURIComponent(text)}`);
      expect(found.status, text).toBe(200);
      if (/[a-z]{3}|\p{sc=Hebrew}/u.test(text)) {
        expect(found.json.map((one: { number: number }) => one.number)).toContain(number);
      }
      const byLabel = await call("GET", `/issues?milestones=${encodeURIComponent(text.replaceAll(",", ""))}`);
      expect(byLabel.status).toBe(200);
    }
  });

  it("NUL and lone surrogates never reach the table", async () => {
    const sent = ["\0", "\ud800", "\udc00x"];
    for (const text of sent) {
      const issue = await call("POST", "/issues", { title: `a${text}b` });
      expect([201, 422], JSON.stringify(text)).toContain(issue.status);
      if (issue.status === 201) expect(Buffer.from(issue.json.title).toString()).toBe(issue.json.title);
      const comment = await call("POST", "/issues/1/comments", { body: `a${text}b` });
      expect([201, 422], JSON.stringify(text)).toContain(comment.status);
    }
  });

  it("numbers that no issue can have are 404, in every form", async () => {
    for (const index of ["0", "-1", "99999999999999999999", "1e3", "0x1", "1%20", "%00", "١"]) {
      for (const path of ["", "/comments", "/timeline", "/reactions", "/dependencies", "/subscriptions"]) {
        expect((await call("GET", `/issues/${index}${path}`)).status, index + path).toBe(404);
      }
    }
  });

  it("two edits at once of different fields both stand; of one field one of them does", async () => {
    const { number } = await openIssue(api, where, owner, { title: "before" });
    const answers = await Promise.all([
      call("PATCH", `/issues/${number}`, { title: "one" }),
      call("PATCH", `/issues/${number}`, { body: "text" }),
      call("PATCH", `/issues/${number}`, { title: "two" }),
      call("PATCH", `/issues/${number}`, { state: "closed" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { title, body, state } = (await call("GET", `/issues/${number}`)).json;
    expect([body, state]).toEqual(["text", "closed"]);
    expect(["one", "two"]).toContain(title);
  });
});
