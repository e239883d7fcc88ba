import { readFileSync } from "node:fs";
import { defined } from "#core/defined";
import { registerRunnerOffline } from "#core/runner/register-offline";
import type { AdminCommand } from "./admin.ts";

const string = { type: "string" } as const;

const register: AdminCommand = {
  synopsis:
    "--secret <40 hex digits> | --secret - [--scope <owner>|<owner>/<repository>] [--labels <label,…>] [--name <name>] [--version <version>]",
  about:
    "registers a runner that knows the same secret, or changes it; without --scope it is everybody's, - reads the secret from standard input; prints its UUID",
  options: { secret: string, scope: string, labels: string, name: string, version: string },
  required: ["secret"],
  async perform(forge, { secret, scope = "", labels, name, version }) {
    const given = secret === "-" ? readFileSync(0, "utf8").trim() : String(secret);
    const { uuid } = await registerRunnerOffline(forge, {
      ...{ secret: given, scope: String(scope) },
      ...defined({
        name: name === undefined ? undefined : String(name),
        version: version === undefined ? undefined : String(version),
        labels:
          labels === undefined
            ? undefined
            : String(labels)
                .split(",")
                .map((label) => label.trim()),
      }),
    });
    return uuid;
  },
};

/** By the words that call them, which are the family's. */
export const runnerCommands: Readonly<Record<string, AdminCommand>> = { "actions register": register };
