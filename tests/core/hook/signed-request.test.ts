import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { signedRequest } from "#core/hook/internal/signed-request";

const given = {
  deliveryId: "00000000-0000-8000-8000-000000000001",
  eventType: "pull_request_comment",
  contentType: "json",
  payload: '{\n  "text": "Grüße & mehr=1"\n}',
  secret: "s",
  authorizationHeader: "Bearer x y",
} as const;
const sign = (algorithm: string) => createHmac(algorithm, "s").update(given.payload).digest("hex");

describe("signedRequest", () => {
  it("names the delivery, the group and the type in every family's headers, and signs the payload", () => {
    expect(signedRequest(given)).toEqual({
      body: given.payload,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "coldforge-hook",
        "X-Forgejo-Delivery": given.deliveryId,
        "X-Forgejo-Event": "issue_comment",
        "X-Forgejo-Event-Type": "pull_request_comment",
        "X-Gitea-Delivery": given.deliveryId,
        "X-Gitea-Event": "issue_comment",
        "X-Gitea-Event-Type": "pull_request_comment",
        "X-Gogs-Delivery": given.deliveryId,
        "X-Gogs-Event": "issue_comment",
        "X-Gogs-Event-Type": "pull_request_comment",
        "X-GitHub-Delivery": given.deliveryId,
        "X-GitHub-Event": "issue_comment",
        "X-GitHub-Event-Type": "pull_request_comment",
        "X-Forgejo-Signature": sign("sha256"),
        "X-Gitea-Signature": sign("sha256"),
        "X-Gogs-Signature": sign("sha256"),
        "X-Hub-Signature": `sha1=${sign("sha1")}`,
        "X-Hub-Signature-256": `sha256=${sign("sha256")}`,
        Authorization: "Bearer x y",
      },
    });
  });

  it("packs a form with one field and still signs the JSON text", () => {
    const { body, headers } = signedRequest({ ...given, contentType: "form" });
    expect(headers["Content-Type"]).toBe("application/x-www-form-urlencoded");
    expect([...new URLSearchParams(body)]).toEqual([["payload", given.payload]]);
    expect(headers["X-Gitea-Signature"]).toBe(sign("sha256"));
  });

  it("leaves the signatures empty without a secret, and Authorization out without a header", () => {
    const { headers } = signedRequest({ ...given, secret: "", authorizationHeader: "" });
    expect(headers["X-Gitea-Signature"]).toBe("");
    expect(headers["X-Hub-Signature"]).toBe("sha1=");
    expect(headers["X-Hub-Signature-256"]).toBe("sha256=");
    expect("Authorization" in headers).toBe(false);
  });
});
