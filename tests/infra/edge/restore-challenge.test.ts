import type { CloudFrontResponse } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { restoreChallengeModule } from "#infra/aws/edge/restore-challenge";

/** Loads the module's text as Lambda@Edge gets it, and calls its handler. */
async function restored(headers: CloudFrontResponse["headers"]): Promise<CloudFrontResponse> {
  const url = `data:text/javascript,${encodeURIComponent(restoreChallengeModule)}`;
  const { handler } = (await import(/* @vite-ignore */ url)) as {
    handler(event: unknown): Promise<CloudFrontResponse>;
  };
  const response = { status: "401", statusDescription: "Unauthorized", headers };
  return handler({ Records: [{ cf: { response } }] });
}

describe("the origin-response trigger, as deployed", () => {
  it("gives every challenge its name back", async () => {
    const values = ['Basic realm="forge"', "Bearer"];
    const { headers } = await restored({
      "x-amzn-remapped-www-authenticate": values.map((value) => ({
        key: "x-amzn-Remapped-www-authenticate",
        value,
      })),
    });
    expect(headers).toEqual({
      "www-authenticate": values.map((value) => ({ key: "WWW-Authenticate", value })),
    });
  });

  it("leaves an answer without a challenge alone", async () => {
    const headers = { etag: [{ key: "ETag", value: '"x"' }] };
    expect((await restored(headers)).headers).toEqual(headers);
  });
});
