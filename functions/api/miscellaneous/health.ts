import type { Hono } from "hono";
import type { Forge } from "#core/forge";
import { hasAdministrator } from "#core/user/administrators";
import { jsonAnswer } from "../../http/answer/answer.ts";

/** The family's address for load balancers and containers that ask whether it works. */
const path = "/api/healthz";

/**
 * 200 `pass` while the table answers a strong read, 503 `fail` when it does not; for everybody, because it says no
 * more. The shape is that of the draft "Health Check Response Format for HTTP APIs", like the family's.
 */
export function addHealth(app: Hono, forge: Forge): void {
  app.get(path, async () => {
    const hasAnswered = await hasAdministrator(forge).then(
      () => true,
      (error: unknown) => {
        forge.log.error("health:table-unreachable", { error });
        return false;
      },
    );
    const status = hasAnswered ? "pass" : "fail";
    const time = new Date(forge.clock.now()).toISOString();
    const body = { status, description: "Coldforge", checks: { "database:ping": [{ status, time }] } };
    const headers = new Headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    return jsonAnswer(JSON.stringify(body), hasAnswered ? 200 : 503, headers);
  });
}
