import { describe, expect, it } from "vitest";
import { chatMessage } from "#core/hook/chat/chat-message";
import { serviceRequest } from "#core/hook/chat/chat-request";
import type { EventPayload } from "#core/hook/chat/event-payload";
import type { EventType } from "#core/hook/event-types";
import { type HookType, hookTypes } from "#core/hook/hook.table";

const sender = {
  login: "bob",
  avatar_url: "https://git.example/avatars/1",
  html_url: "https://git.example/bob",
};
const repository = { full_name: "alice/hello", html_url: "https://git.example/alice/hello" };
const commit = (number: number, message = `change ${number}\n\nmore`) => ({
  id: String(number).repeat(40),
  message,
  url: `https://git.example/c/${number}`,
  author: { name: "Bob & Co" },
});
const push: EventPayload = {
  ...{ ref: "refs/heads/main", compare_url: "https://git.example/compare", repository, sender },
  commits: [commit(1), commit(2)],
  total_commits: 7,
};
const hostile = `<!channel> <at user_id="all"></at> [x](https://evil.example) \u202e"&`;
const opened: EventPayload = {
  action: "opened",
  ...{ repository, sender },
  issue: {
    ...{ number: 3, title: `A\n${hostile}`, body: `first\n${hostile}`, assignees: [], milestone: null },
    html_url: "https://git.example/i/3",
  },
};

const delivery = (eventType: EventType) => ({ id: "018f0000-0000-8000-8000-000000000000", eventType });
function sent(type: HookType, eventType: EventType, payload: EventPayload, chat = {}) {
  const hook = { type, url: "https://chat.example/room?key=1", chat };
  const request = serviceRequest(hook, delivery(eventType), JSON.stringify(payload));
  if (request === undefined) throw new Error("the payload as it is");
  return { ...request, body: JSON.parse(request.body) };
}

describe("chat messages (semantics §27.2)", () => {
  it("say where, who and what in one line, with the first lines of commits and how many more there are", () => {
    expect(chatMessage("push", push)).toMatchObject({
      title: { text: "[alice/hello] bob pushed 7 commits to main", link: "https://git.example/compare" },
      lines: [
        { text: "1111111111 change 1 (Bob & Co)", link: "https://git.example/c/1" },
        { text: "2222222222 change 2 (Bob & Co)", link: "https://git.example/c/2" },
        { text: "and 5 more", link: "https://git.example/compare" },
      ],
      quote: "",
      tone: "neutral",
    });
  });

  it("are bounded, keep characters whole, and hold no control characters in a line", () => {
    const issue = {
      ...opened.issue,
      title: `${"x".repeat(210)}${"😀".repeat(200)}`,
      body: "é".repeat(9_000),
    };
    const { title, quote } = chatMessage("issues", { ...opened, issue } as EventPayload);
    expect(title.text.length).toBeLessThanOrEqual(250);
    expect(() => encodeURIComponent(title.text)).not.toThrow();
    expect(quote).toBe(`${"é".repeat(999)}…`);
    expect(chatMessage("issues", opened).title.text).not.toMatch(/[\n\u202e]/);
  });
});

describe("forms of the services", () => {
  it.each(["forgejo", "gitea", "gogs"] as const)("%s: the payload as it is", (type) => {
    const hook = { type, url: "https://ci.example/", chat: {} };
    expect(serviceRequest(hook, delivery("push"), "no JSON")).toBeUndefined();
  });

  it("slack: a text with links and an attachment, in the hook's channel and name", () => {
    const settings = { channel: "#dev", username: "forge", icon_url: "https://i.example", color: "#123456" };
    expect(sent("slack", "push", push, settings)).toEqual({
      ...{ method: "POST", url: "https://chat.example/room?key=1" },
      body: {
        ...{ channel: "#dev", username: "forge", icon_url: "https://i.example" },
        text: "<https://git.example/compare|[alice/hello] bob pushed 7 commits to main>",
        attachments: [
          {
            color: "#123456",
            text: [
              "<https://git.example/c/1|1111111111 change 1 (Bob &amp; Co)>",
              "<https://git.example/c/2|2222222222 change 2 (Bob &amp; Co)>",
              "<https://git.example/compare|and 5 more>",
            ].join("\n"),
          },
        ],
      },
    });
  });

  it("discord: one embed that mentions nobody", () => {
    expect(sent("discord", "issues", opened, { username: "forge" }).body).toMatchObject({
      username: "forge",
      allowed_mentions: { parse: [] },
      embeds: [
        {
          ...{ url: "https://git.example/i/3", color: 0x2e7d32 },
          author: { name: "bob", url: sender.html_url, icon_url: sender.avatar_url },
        },
      ],
    });
  });

  it("msteams: a card with a button", () => {
    expect(sent("msteams", "push", push).body).toMatchObject({
      ...{ "@type": "MessageCard", title: "[alice/hello] bob pushed 7 commits to main" },
      potentialAction: [
        { "@type": "OpenUri", targets: [{ os: "default", uri: "https://git.example/compare" }] },
      ],
    });
  });

  it("telegram: HTML", () => {
    expect(sent("telegram", "push", { ...push, commits: [], total_commits: 1 }).body).toEqual({
      text: '<a href="https://git.example/compare">[alice/hello] bob pushed a commit to main</a>\n<a href="https://git.example/compare">and 1 more</a>',
      ...{ parse_mode: "HTML", disable_web_page_preview: true },
    });
  });

  it("matrix: PUT, once per delivery, a notice unless the hook says otherwise", () => {
    const { method, url, body } = sent("matrix", "issues", opened);
    expect([method, url]).toEqual(["PUT", `https://chat.example/room/${delivery("issues").id}?key=1`]);
    expect(body).toMatchObject({ msgtype: "m.notice", format: "org.matrix.custom.html", "m.mentions": {} });
    expect(sent("matrix", "issues", opened, { message_type: "m.text" }).body.msgtype).toBe("m.text");
  });

  it("dingtalk, feishu, wechatwork: a card, a text, Markdown", () => {
    expect(sent("dingtalk", "push", push).body).toMatchObject({
      msgtype: "actionCard",
      actionCard: { singleURL: "https://git.example/compare" },
    });
    expect(sent("feishu", "push", push).body.content.text).toMatch(
      /^\[alice\/hello\] bob pushed 7 commits to main https:\/\/git\.example\/compare\n1111111111 change 1/,
    );
    expect(sent("wechatwork", "push", push).body).toMatchObject({ msgtype: "markdown" });
  });

  it("packagist: the repository, or the address that the hook names", () => {
    const at = (chat: object) => sent("packagist", "push", push, chat).body;
    expect(at({})).toEqual({ repository: { url: repository.html_url } });
    expect(at({ package_url: "https://packagist.example/p" })).toEqual({
      repository: { url: "https://packagist.example/p" },
    });
  });

  it("no text of a stranger becomes markup that calls people, or runs", () => {
    const chats = hookTypes.filter((type) => !["forgejo", "gitea", "gogs", "packagist"].includes(type));
    for (const type of chats) {
      const body = sent(type, "issues", opened).body;
      // Its plain text is for clients that show no markup.
      const text = JSON.stringify(type === "matrix" ? body.formatted_body : body);
      if (type !== "discord")
        expect([type, text]).toEqual([type, expect.not.stringMatching(/<!channel>|<at /)]);
      const markdown = body.actionCard?.text ?? body.markdown?.content ?? "";
      expect(markdown.split("\n")[0]).not.toContain(" [x](https://evil.example)");
    }
  });
});
